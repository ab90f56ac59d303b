import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { KeyboardEvent, ReactNode } from "react";
import { classNames } from "../base/class-names.ts";
import { isTouchScreen } from "../base/touch-screen.ts";
import { useTexts } from "../texts/texts.tsx";
import { IconButton } from "./button.tsx";
import { returnFocus } from "./focus-return.ts";

type DialogProps = {
  isOpen: boolean;
  onClose(): void;
  title: string;
  /** Shown below the title; screen readers read it first. */
  about?: ReactNode;
  children: ReactNode;
  /** Stays visible at the bottom. */
  footer?: ReactNode;
  className?: string;
};

/**
 * Focuses the first control of the dialog; without one, the first button of its footer, which is harmless. The close
 * button keeps the focus while the dialog loads, in a dialog with neither a control nor a footer, and on a touch screen if
 * the first control is a text field: its keyboard would cover half of the form.
 */
function focusFirst(event: Event): void {
  const { currentTarget: content } = event;
  if (!(content instanceof HTMLElement)) return;
  const first = firstControl(content);
  if (first !== null && !opensKeyboard(first)) {
    event.preventDefault();
    first.focus();
  } else if (isLoading(content)) {
    const observer = new MutationObserver(() => {
      const loaded = firstControl(content);
      if (loaded === null && isLoading(content)) return;
      observer.disconnect();
      const focused = document.activeElement;
      // If new contents replaced the close button, the focus is on the page or the dialog.
      const isReplaced = focused === document.body || focused === content;
      const isOnClose = focused !== null && closeButton(content) === focused;
      if (loaded !== null && !opensKeyboard(loaded) && (isReplaced || isOnClose)) loaded.focus();
      else if (isReplaced) closeButton(content)?.focus();
    });
    observer.observe(content, { childList: true, subtree: true });
  }
}

function firstControl(content: HTMLElement): HTMLElement | null {
  return (
    content.querySelector<HTMLElement>(
      "[data-body] :is(input, textarea, select, button[aria-pressed]):not([type=hidden], [type=file], :disabled)",
    ) ?? content.querySelector<HTMLElement>("[data-footer] button:not(:disabled)")
  );
}

function closeButton(content: HTMLElement): HTMLElement | null {
  return content.querySelector<HTMLElement>(":scope > header button");
}

function isLoading(content: HTMLElement): boolean {
  return content.querySelector("[data-body] [data-skeleton]") !== null;
}

/** True for a field with text on a touch screen: its focus would open the keyboard. */
function opensKeyboard(control: HTMLElement): boolean {
  return isTouchScreen() && hasText(control);
}

function hasText(control: HTMLElement): boolean {
  return (control instanceof HTMLInputElement || control instanceof HTMLTextAreaElement) && control.value !== "";
}

/**
 * Closes a dialog with Escape while a message is shown. Radix takes a message that appeared later for the layer on top,
 * which alone handles the key. What handles the key inside the dialog, or above it, prevents its default.
 */
function closeOnEscape(event: KeyboardEvent<HTMLElement>, onClose: () => void): void {
  const isInside = event.target instanceof Element && event.currentTarget.contains(event.target);
  if (event.key === "Escape" && isInside && !event.defaultPrevented) onClose();
}

/** Leaves Escape to a field whose list of suggestions is open. Otherwise Radix would close the dialog before the list. */
function leaveToOpenList(event: globalThis.KeyboardEvent): void {
  const { target } = event;
  if (target instanceof Element && target.matches("[role=combobox][aria-expanded=true]")) event.preventDefault();
}

/** Has the z-index of the dialogs: the one opened last covers and dims the others. */
const overlay = "fixed inset-0 z-50 bg-black/45 appear-fade";

/** A dialog in the middle of the window, above everything else. */
export function Dialog({ isOpen, onClose, title, about, children, footer, className }: DialogProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <div className="fixed inset-0 z-50 grid grid-cols-1 place-items-center p-3">
          <Radix.Content
            onOpenAutoFocus={focusFirst}
            onCloseAutoFocus={returnFocus}
            onEscapeKeyDown={leaveToOpenList}
            onKeyDown={(event) => closeOnEscape(event, onClose)}
            className={classNames(
              // The dialog itself is focused only briefly, and shows no ring then.
              "outline-none flex max-h-[calc(100dvh-1.5rem)] w-full max-w-md flex-col rounded-2xl border border-line bg-surface shadow-raised appear-rise",
              className,
            )}
          >
            <Head title={title} about={about} />
            <div data-body className="overflow-y-auto px-5 py-4">
              {children}
            </div>
            <Foot>{footer}</Foot>
          </Radix.Content>
        </div>
      </Radix.Portal>
    </Radix.Root>
  );
}

type DrawerFrameProps = Pick<DialogProps, "isOpen" | "onClose" | "children" | "className">;

/** A dialog at the right edge. Its contents may change while it stays open: first placeholders, then a form. */
export function DrawerFrame({ isOpen, onClose, children, className }: DrawerFrameProps) {
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={returnFocus}
          onEscapeKeyDown={leaveToOpenList}
          onKeyDown={(event) => closeOnEscape(event, onClose)}
          className={classNames(
            "outline-none fixed inset-y-0 right-0 z-50 flex w-full max-w-2xl flex-col border-l border-line bg-surface shadow-raised appear-slide",
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

type DrawerContentsProps = Pick<DialogProps, "title" | "about" | "children" | "footer">;

/** What a {@link DrawerFrame} shows: a title, the body, and optionally a footer. */
export function DrawerContents({ title, about, children, footer }: DrawerContentsProps) {
  return (
    <>
      <Head title={title} about={about} />
      {/* The form keeps its width when an opened section makes it scroll. */}
      <div data-body className="grow overflow-y-auto px-5 py-5 [scrollbar-gutter:stable]">
        {children}
      </div>
      <Foot>{footer}</Foot>
    </>
  );
}

/** A dialog at the right edge, for forms that are filled in beside the page they belong to. */
export function Drawer({ isOpen, onClose, ...contents }: Omit<DialogProps, "className">) {
  return (
    <DrawerFrame isOpen={isOpen} onClose={onClose}>
      <DrawerContents {...contents} />
    </DrawerFrame>
  );
}

function Head({ title, about }: Pick<DialogProps, "title" | "about">) {
  const texts = useTexts();
  return (
    <header
      className={classNames(
        "flex justify-between gap-4 border-b border-line px-5 py-3.5",
        about === undefined ? "items-center" : "items-start",
      )}
    >
      <div className="min-w-0">
        <Radix.Title className="truncate text-base font-semibold">{title}</Radix.Title>
        {about !== undefined && (
          <Radix.Description asChild>
            <div className="mt-0.5 text-[13px] text-muted wrap-anywhere">{about}</div>
          </Radix.Description>
        )}
      </div>
      <Radix.Close asChild>
        <IconButton label={texts.words.close} className="-mr-1.5">
          <X />
        </IconButton>
      </Radix.Close>
    </header>
  );
}

function Foot({ children }: { children: ReactNode }) {
  if (!children) return null;
  return (
    <div data-footer className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3.5">
      {children}
    </div>
  );
}
