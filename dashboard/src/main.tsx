import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { openQueries } from "./api/queries.ts";
import { forgetToken } from "./api/session.ts";
import { applyTheme } from "./base/preferences.ts";
import { openRouter } from "./router.tsx";
import { loadTexts, TextsProvider } from "./texts/texts.tsx";
import { followFocus } from "./ui/focus-return.ts";
import { setScrollbarWidth } from "./ui/scrollbar-width.ts";
import { ToastProvider } from "./ui/toasts.tsx";

applyTheme();
followFocus();
setScrollbarWidth();
// For the styles that the dialogs' scroll lock inserts; see the page's Content-Security-Policy.
setNonce(document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "");
const root = document.getElementById("app");
if (root === null) throw new Error("The page has no element #app.");

const queries = openQueries(async () => {
  forgetToken();
  await router.invalidate();
  // Cleared last, when no page is left that would read it again.
  queries.clear();
});
const router = openRouter(queries);
// The page's data is requested while its texts are still loading.
void router.load();
const loaded = await loadTexts();
document.documentElement.lang = loaded.format.language;

createRoot(root).render(
  <StrictMode>
    <TextsProvider first={loaded}>
      <QueryClientProvider client={queries}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </QueryClientProvider>
    </TextsProvider>
  </StrictMode>,
);
