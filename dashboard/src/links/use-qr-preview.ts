import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { useWorkspace } from "../api/workspace.tsx";
import { useDebounced } from "../ui/use-debounced.ts";
import type { QrStyle } from "./qr-style.ts";
import { qrQuery } from "./qr-url.ts";

const delayMs = 150;
const previewPx = 512;

/** The code of a short link as an image's URL; the previous one while the next is drawn. */
export function useQrPreview(shortLink: string | undefined, style: QrStyle) {
  const { api } = useWorkspace();
  const wanted = useDebounced(JSON.stringify(style), delayMs);
  const { data, error } = useQuery({
    queryKey: ["qr", shortLink, wanted],
    enabled: shortLink !== undefined,
    placeholderData: keepPreviousData,
    async queryFn({ signal }) {
      const drawn: QrStyle = JSON.parse(wanted);
      const query = qrQuery({ shortLink: shortLink ?? "", format: "svg", size: previewPx, style: drawn });
      const svg = await answerOf(api.GET("/qr", { params: { query }, parseAs: "text", signal }));
      return `data:image/svg+xml,${encodeURIComponent(svg)}`;
    },
  });
  return { src: data, error };
}
