import type { ReactNode } from "react";
import { brandNamed, brandOfHost } from "./brands.ts";

type BrandIconProps = { name?: string; host?: string; children: ReactNode };

/** The icon of a brand by its name or host; the children for an unknown brand. A lazy part, since icons are large. */
export function BrandIcon({ name = "", host, children }: BrandIconProps) {
  const brand = host === undefined ? brandNamed(name) : brandOfHost(host);
  if (brand === undefined) return <>{children}</>;
  if ("letters" in brand) {
    return (
      <svg viewBox="0 0 24 24" aria-hidden className="size-4 shrink-0">
        <rect x="1" y="1" width="22" height="22" rx="5" fill={brand.color} />
        <text x="12" y="17.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
          {brand.letters}
        </text>
      </svg>
    );
  }
  return (
    <svg viewBox="0 0 24 24" aria-hidden className="size-4 shrink-0 text-ink" fill={brand.color ?? "currentColor"}>
      <path d={brand.path} />
    </svg>
  );
}
