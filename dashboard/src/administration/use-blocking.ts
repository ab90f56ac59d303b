import { answerOf, type Schemas } from "../../../sdk/client.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { useOperation } from "./use-operation.ts";

type Block = Schemas["AdministeredBlock"];
type NewBlock = Pick<Block, "kind" | "target" | "reason">;
type Blocked = Pick<Block, "kind" | "target"> & { /** Known in the list of blocks. */ reason?: string };

/** Blocks an object for the whole instance; `name` is what the message calls it. */
export function useBlocking(block: NewBlock, name: string, onSuccess: () => void) {
  const { administration } = useTexts();
  return useOperation({
    run: () => begin(block),
    successText: () => administration.blocked(name),
    undo: { run: () => end(block), successText: administration.unblocked(name) },
    onSuccess,
    showsFailure: true,
  });
}

/** Ends a block; where its reason is known, the message can begin it again. */
export function useUnblocking({ kind, target, reason }: Blocked, name: string) {
  const { administration } = useTexts();
  return useOperation({
    run: () => end({ kind, target }),
    successText: () => administration.unblocked(name),
    ...(reason !== undefined && {
      undo: { run: () => begin({ kind, target, reason }), successText: administration.blocked(name) },
    }),
  });
}

async function begin(body: NewBlock): Promise<unknown> {
  return await answerOf(waypost.POST("/admin/blocks", { body }));
}

async function end({ kind, target }: Blocked): Promise<unknown> {
  return await answerOf(waypost.DELETE("/admin/blocks/{kind}/{target}", { params: { path: { kind, target } } }));
}
