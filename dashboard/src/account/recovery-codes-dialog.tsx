import type { ComponentProps } from "react";
import { useTexts } from "../texts/texts.tsx";
import { FormDialog } from "../ui/form-dialog.tsx";

type RecoveryCodesProps = Omit<ComponentProps<typeof FormDialog>, "isOpen" | "about" | "result"> & {
  /** The new codes, which are shown only now; undefined until the form has created them. */
  codes: readonly string[] | undefined;
};

/** A dialog whose form creates recovery codes, and then shows them. */
export function RecoveryCodesDialog({ codes, title, ...form }: RecoveryCodesProps) {
  const { security } = useTexts();
  if (codes === undefined) return <FormDialog {...form} isOpen title={title} />;
  const content = (
    <ol
      aria-label={security.recovery}
      className="grid gap-x-6 gap-y-1.5 rounded-lg border border-line bg-sunken p-4 font-mono text-[13px] sm:grid-cols-2"
    >
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ol>
  );
  return (
    <FormDialog
      {...form}
      isOpen
      title={security.recoveryTitle}
      about={security.recoveryAbout}
      result={{ secret: { text: codes.join("\n"), copyLabel: security.copyRecovery }, content }}
    />
  );
}
