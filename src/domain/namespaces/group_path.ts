/** Names used by routes of the server, at the top of the path hierarchy. */
const RESERVED = new Set(
  '- admin all api assets ci dashboard explore files graphql groups health help import invites jwt login mcp notes oauth profile projects public robots.txt search sent_notifications services session sign_in snippets unsubscribes uploads users v2'.split(
    ' ',
  ),
);

/** Names used by pages and routes of a group, below its own path. */
const RESERVED_BELOW = new Set(
  '- activity avatar badges blame blob commits create edit environments files find_file group_members issues labels merge_requests milestones new notification_setting preview projects raw refs settings subgroups tree update wikis'.split(
    ' ',
  ),
);

/** The errors of a group path or username (behaviour.md 1.6); empty if there are none. */
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
