import { type RefObject, useEffect } from "react";

/** Focuses the first invalid field of a form when there is an error, once its section has opened. */
export function useFocusFirstError(form: RefObject<HTMLFormElement | null>, error: unknown): void {
  useEffect(() => {
    if (error === null) return;
    const frame = requestAnimationFrame(() => {
      const found = form.current?.querySelector<HTMLElement>("[aria-invalid=true], [role=alert]");
      if (found instanceof HTMLInputElement || found instanceof HTMLSelectElement) found.focus();
      else found?.scrollIntoView({ block: "center" });
    });
    return () => cancelAnimationFrame(frame);
  }, [error, form]);
}
