import { currentBroadcasts, isActive, isOnPath } from '#src/domain/administration/broadcast_messages/stored.ts';
import { renderMarkdown } from '#src/domain/tracking/markdown/render.ts';
import type { Db } from '#src/platform/database/db.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';
import { currentAppearance } from '#src/platform/settings/appearance.ts';

/** A message that a page shows. */
export interface ShownBroadcast {
  id: number;
  /** Safe. */
  html: string;
  theme: string;
  broadcastType: string;
  dismissable: boolean;
  /** Who sees it on the pages of a project or group; everyone on every page when empty. */
  targetAccessLevels: readonly number[];
}

/** What the server says on every page. */
export interface ServerMessages {
  /** Safe HTML; empty for none. */
  header: string;
  footer: string;
  broadcasts: ShownBroadcast[];
  /** Rules of a stylesheet for the messages with their own colours, of all that have not ended. */
  colors: string;
}

/**
 * What the server says on the page at a path: no statement, as both are kept like the settings, and a rendered text is kept, too.
 *
 * @param dismissed IDs of the messages that the reader does not want to see any more
 */
export async function serverMessages(
  db: Db,
  { path, baseUrl, dismissed }: { path: string; baseUrl: string; dismissed: ReadonlySet<number> },
): Promise<ServerMessages> {
  const { headerMessage, footerMessage } = await currentAppearance(db);
  const due = (await currentBroadcasts(db)).filter(
    (one) => isActive(one) && isOnPath(one.targetPath, path) && !(one.dismissable && dismissed.has(one.id)),
  );
  const broadcasts = due.map(async ({ id, message, theme, broadcastType, dismissable, targetAccessLevels }) => {
    return { id, html: await lineHtml(message, baseUrl), theme, broadcastType, dismissable, targetAccessLevels };
  });
  return {
    header: await lineHtml(headerMessage, baseUrl),
    footer: await lineHtml(footerMessage, baseUrl),
    broadcasts: await Promise.all(broadcasts),
    colors: await broadcastColors(db),
  };
}

/** Rules of a stylesheet for the messages with their own colours. */
export async function broadcastColors(db: Db): Promise<string> {
  return (await currentBroadcasts(db))
    .flatMap(({ id, color, font }) => {
      const rules = [...(color ? [`background: ${color};`] : []), ...(font ? [`color: ${font};`] : [])];
      const named = `.broadcast-${id}`;
      return rules.length === 0 ? [] : [`${named}, ${named} a { ${rules.join(' ')} }\n`];
    })
    .join('');
}

/** What a line can have: what is emphasized, code, links and line breaks. Of anything else the text is shown. */
const ALLOWED = new Set(['a', 'b', 'strong', 'i', 'em', 'code', 'del', 's', 'br', 'p']);

/** A text in restricted Markdown as safe HTML, without images, headings, lists, tables and references to records. */
export async function lineHtml(text: string, baseUrl: string): Promise<string> {
  if (text.trim() === '') return '';
  const how = { text, flavour: 'gfm', links: new Map(), baseUrl, project: null, images: false } as const;
  // No page is to fail because many texts wait to be rendered.
  const html = await renderMarkdown('server messages', how).catch(() => escapeHtml(text));
  // The HTML is sanitised: each `<` begins a tag, and each `>` ends one.
  return html.replace(/<\/?([a-z0-9]+)[^>]*>/g, (tag, name: string) => (ALLOWED.has(name) ? tag : ' ')).trim();
}
