import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { useOperation } from "./use-operation.ts";

type NewBlock = Pick<Schemas["AdministeredBlock"], "kind" | "target" | "reason">;

/** Blocks an object for the whole instance; `name` is what the message calls it. */
export function useBlocking(block: NewBlock, name: string, onSuccess: () => void) {
  const { administration } = useTexts();
  return useOperation({
    run: () => answerOf(waypost.POST("/admin/blocks", { body: block })),
    done: () => administration.blocked(name),
    onSuccess,
    showsFailure: true,
  });
}
