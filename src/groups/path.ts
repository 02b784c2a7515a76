/** Names that routes of the server need, at the top of the path hierarchy. */
const RESERVED = new Set(
  '- admin all api assets ci dashboard explore files graphql groups health help import invites jwt login notes oauth profile projects public robots.txt search sent_notifications services session sign_in snippets unsubscribes uploads users v2'.split(
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
  return !nested && RESERVED.has(path.toLowerCase()) ? [`${path} is a reserved name`] : [];
}
