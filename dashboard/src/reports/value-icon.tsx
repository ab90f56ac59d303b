import {
  AppWindow,
  Globe,
  Link2,
  type LucideIcon,
  Mail,
  MessageCircle,
  Monitor,
  MousePointerClick,
  QrCode,
  Search,
  Smartphone,
  Sparkles,
  Tablet,
  Users,
} from "lucide-react";
import { useState } from "react";
import { BrandIcon } from "./brand-icon.tsx";
import { CodeBadge } from "./code-badge.tsx";
import { flagUrl } from "./flags.ts";

/** TABLE of the drawn icons. */
const symbols = {
  ai: Sparkles,
  computer: Monitor,
  direct: MousePointerClick,
  email: Mail,
  link: Link2,
  messaging: MessageCircle,
  phone: Smartphone,
  program: AppWindow,
  qr: QrCode,
  referral: Globe,
  search: Search,
  social: Users,
  tablet: Tablet,
} as const satisfies Record<string, LucideIcon>;

/** The name of a drawn icon. */
export type SymbolName = keyof typeof symbols;

/** The icon of a value. A brand without an icon shows the symbol. */
export type Icon =
  | { kind: "flag"; country: string }
  | { kind: "brand"; name: string; symbol: SymbolName }
  | { kind: "host"; host: string }
  | { kind: "symbol"; symbol: SymbolName };

/** The icon of a value, as large as a line of text. Decorative: the value's text is beside it. */
export function ValueIcon({ icon }: { icon: Icon }) {
  switch (icon.kind) {
    case "flag":
      return <Flag key={icon.country} country={icon.country} />;
    case "symbol":
      return <Drawn symbol={icon.symbol} />;
    case "host":
      return <Brand host={icon.host} symbol="referral" />;
    case "brand":
      return <Brand name={icon.name} symbol={icon.symbol} />;
  }
}

function Brand({ symbol, ...brand }: { name?: string; host?: string; symbol: SymbolName }) {
  return (
    <BrandIcon {...brand}>
      <Drawn symbol={symbol} />
    </BrandIcon>
  );
}

function Drawn({ symbol }: { symbol: SymbolName }) {
  const Drawing = symbols[symbol];
  return <Drawing className="size-4 shrink-0 text-faint" aria-hidden />;
}

/** A country without a flag shows its code. */
function Flag({ country }: { country: string }) {
  const [isMissing, setMissing] = useState(false);
  if (isMissing) return <CodeBadge text={country} />;
  return (
    <img
      src={flagUrl(country)}
      alt=""
      width={16}
      height={16}
      loading="lazy"
      decoding="async"
      onError={() => setMissing(true)}
      className="size-4 shrink-0 rounded-full"
    />
  );
}
