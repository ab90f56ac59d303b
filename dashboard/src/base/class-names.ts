import { type ClassValue, clsx } from "clsx";
import { twMerge } from "tailwind-merge";

/** Class names put together; of two that set the same property the later one stays. */
export function classNames(...names: ClassValue[]): string {
  return twMerge(clsx(names));
}
