import type { ReactNode } from "react";
import { brandNamed, brandOfHost, brandUrl } from "./brands.ts";

type BrandIconProps = { name?: string; host?: string; children: ReactNode };

/** The icon of a brand by its name or host; the children for an unknown brand. */
export function BrandIcon({ name = "", host, children }: BrandIconProps) {
  const brand = host === undefined ? brandNamed(name) : brandOfHost(host);
  switch (brand?.kind) {
    case undefined:
      return <>{children}</>;
    case "file":
      return (
        <svg viewBox="0 0 24 24" aria-hidden className="size-4 shrink-0 fill-current text-ink">
          <use href={brandUrl(brand.icon)} />
        </svg>
      );
    case "path":
      return (
        <svg viewBox="0 0 24 24" aria-hidden className="size-4 shrink-0">
          <path d={brand.path} fill={brand.color} />
        </svg>
      );
    case "letters":
      return (
        <svg viewBox="0 0 24 24" aria-hidden className="size-4 shrink-0">
          <rect x="1" y="1" width="22" height="22" rx="5" fill={brand.color} />
          <text x="12" y="17.5" textAnchor="middle" fontSize="15" fontWeight="700" fill="#fff">
            {brand.letters}
          </text>
        </svg>
      );
  }
}
