import { useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { waypost } from "./waypost.ts";

/** Reads the options of the instance that administrators see; refused to everyone else, and without a second factor. */
export function useInstance({ enabled = true }: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: ["administration", "instance"],
    queryFn: () => answerOf(waypost.GET("/admin/instance")),
    enabled,
  });
}
