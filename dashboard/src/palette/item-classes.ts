/** The classes of the palette's items. */
export const itemClass =
  "flex cursor-default select-none items-center gap-3 rounded-lg px-3 py-2 data-[selected=true]:bg-sunken [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint";
/** The classes of a group of items and its heading. */
export const groupClass =
  "[&_[cmdk-group-heading]]:px-3 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:pt-3 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint";
