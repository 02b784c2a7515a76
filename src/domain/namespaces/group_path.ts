/** Names that routes of the server need, at the top of the path hierarchy. */
const RESERVED = new Set(
  '- admin all api assets ci dashboard explore files graphql groups health help import invites jwt login notes oauth profile projects public robots.txt search sent_notifications services session sign_in snippets unsubscribes uploads users v2'.split(
    ' ',
  ),
);

/** Names that pages and routes of a group need, below its own path. */
const RESERVED_BELOW = new Set(
  '- activity avatar badges blame blob commits create edit environments files find_file group_members issues labels merge_requests milestones new notification_setting preview projects raw refs settings subgroups tree update wikis'.split(
    ' ',
  ),
);

/** What is wrong with the path of a group or a username (behaviour.md 1.6); empty when nothing is. */
export function groupPathErrors(path: string, { nested = false }: { nested?: boolean } = {}): string[] {
  if (path.length > 255) return ['is too long (maximum is 255 characters)'];
  if (!/^[A-Za-z0-9_.][A-Za-z0-9_.-]*$/.test(path) || /(\.|\.git|\.atom)$/i.test(path)) {
    return [
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
    ];
  }
  const reserved = nested ? RESERVED_BELOW : RESERVED;
  return reserved.has(path.toLowerCase()) ? [`${path} is a reserved name`] : [];
}
