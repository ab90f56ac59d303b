/**
 * The classes of floating panels, which scroll when they are higher than the available space. They cover messages, which
 * on a phone are at the top, where menus open too.
 */
export const floatingClass =
  "z-[70] min-w-44 rounded-xl border border-line bg-surface p-1 text-ink shadow-raised appear-rise max-h-[min(26rem,var(--radix-popper-available-height))] pointer-coarse:max-h-[var(--radix-popper-available-height)] overflow-y-auto";
