import { useMutation, useQueryClient } from "@tanstack/react-query";
import { answerOf } from "../../../sdk/client.ts";
import { isMembersKey } from "../api/members.ts";
import { type User, userKey } from "../api/user.ts";
import { waypost } from "../api/waypost.ts";
import { useTexts } from "../texts/texts.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Card } from "../ui/card.tsx";
import { ErrorNote } from "../ui/error-note.tsx";
import { avatarBounds, ImagePicker } from "../ui/image-picker.tsx";
import { useNotify } from "../ui/toasts.tsx";

/** The person's picture, to upload, replace and remove. */
export function AvatarCard({ user }: { user: User }) {
  const { settings } = useTexts();
  const update = useAvatarUpdate();
  return (
    <Card>
      <div className="grid gap-4 p-4 sm:p-5">
        <ImagePicker
          label={settings.picture}
          hint={settings.ownPictureHint}
          preview={<Avatar name={user.name} url={user.avatarUrl} className="size-16 text-xl" />}
          bounds={avatarBounds}
          isBusy={update.isPending}
          onPick={(image) => update.mutate(image)}
          onRemove={user.avatarUrl === null ? undefined : () => update.mutate(null)}
        />
        <ErrorNote error={update.error} />
      </div>
    </Card>
  );
}

/** Uploads the picture, or removes it with null. */
function useAvatarUpdate() {
  const { settings } = useTexts();
  const notify = useNotify();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (image: string | null) =>
      answerOf(image === null ? waypost.DELETE("/user/avatar") : waypost.PUT("/user/avatar", { body: { image } })),
    async onSuccess(user) {
      queries.setQueryData(userKey, user);
      notify({ kind: "done", text: settings.saved });
      await queries.invalidateQueries({ predicate: ({ queryKey }) => isMembersKey(queryKey) });
    },
  });
}
