/** The texts of a link in which a search can match. */
type SearchedLink = {
  title: string | null;
  shortLink: string;
  url: string;
  comments: string | null;
  tags: readonly { name: string }[];
};

/** The text that a search matched although the result's own lines do not show it. */
type MatchReason = { kind: "tag" | "folder" | "comment"; text: string };

/** Characters of a comment before the match. */
const charactersBefore = 20;

/** Why a search found a link; undefined when its title, short link or destination shows it. `folder` is its name. */
export function matchReason(link: SearchedLink, search: string, folder: string | undefined): MatchReason | undefined {
  const wanted = search.trim().toLowerCase();
  const matches = (text: string | null | undefined) => text?.toLowerCase().includes(wanted) ?? false;
  if ([link.title, link.shortLink, link.url].some(matches)) return undefined;
  const tag = link.tags.find(({ name }) => matches(name));
  if (tag !== undefined) return { kind: "tag", text: tag.name };
  if (folder !== undefined && matches(folder)) return { kind: "folder", text: folder };
  return link.comments !== null && matches(link.comments)
    ? { kind: "comment", text: excerptOf(link.comments, wanted) }
    : undefined;
}

/** The part of a comment that begins shortly before the match. */
function excerptOf(comment: string, wanted: string): string {
  const start = Math.max(0, comment.toLowerCase().indexOf(wanted) - charactersBefore);
  return start === 0 ? comment : `…${comment.slice(start)}`;
}
