import type { Settings } from '#src/domain/integrations/base/field.ts';
import type { Message, Part, Tone } from '#src/domain/integrations/chat/message.ts';

/** The body of the request that shows a message in one kind of chat. */
export type Format = (message: Message, settings: Settings, channel: string | null) => object;

/** Colours of the bar beside a message. */
const COLORS: Record<Tone, number> = { neutral: 0x345ca0, good: 0x2e7d32, bad: 0xc62828 };

/** As Slack wants it: three characters are escaped, and links are `<url|text>`. */
export const slack: Format = (message, settings, channel) => {
  const title = rendered(message.title, slackPart);
  const text = linesOf(message, slackPart);
  return {
    ...sender(settings, channel),
    text: title,
    ...(text === ''
      ? {}
      : {
          attachments: [
            { fallback: slackText(plain(message.title)), color: colorOf(message), text, mrkdwn_in: ['text'] },
          ],
        }),
  };
};

/** As Mattermost wants it: Markdown, in which nothing that users wrote is markup or notifies anybody. */
export const mattermost: Format = (message, settings, channel) => {
  const title = rendered(message.title, markdownPart);
  const text = linesOf(message, markdownPart);
  return {
    ...sender(settings, channel),
    text: title,
    ...(text === '' ? {} : { attachments: [{ fallback: plain(message.title), color: colorOf(message), text }] }),
  };
};

/** Characters of what Discord shows in one piece. */
const MAX_DISCORD_LENGTH = 4_096;

/** As Discord wants it: Markdown within an embed, and nobody is mentioned by it. */
export const discord: Format = (message, { username }) => {
  const lines = [rendered(message.title, markdownPart), linesOf(message, markdownPart)].filter((line) => line !== '');
  return {
    ...(username ? { username } : {}),
    embeds: [{ description: cut(lines, MAX_DISCORD_LENGTH), color: COLORS[message.tone] }],
    allowed_mentions: { parse: [] },
  };
};

/** As Microsoft Teams wants it: an adaptive card, whose texts are Markdown. */
export const teams: Format = (message) => {
  const block = (text: string, more: object) => ({ type: 'TextBlock', text, wrap: true, ...more });
  const color = { neutral: 'default', good: 'good', bad: 'attention' }[message.tone];
  const lines = message.lines.map((line) => block(rendered(line, markdownPart), { spacing: 'small' }));
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.2',
    body: [block(rendered(message.title, markdownPart), { weight: 'bolder', color }), ...lines],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
  };
};

function sender({ username }: Settings, channel: string | null) {
  return { ...(username ? { username } : {}), ...(channel ? { channel } : {}) };
}

function colorOf({ tone }: Message): string {
  return `#${COLORS[tone].toString(16).padStart(6, '0')}`;
}

function rendered(parts: readonly Part[], render: (part: Part) => string): string {
  return parts.map(render).join('');
}

function linesOf({ lines }: Message, render: (part: Part) => string): string {
  return lines.map((line) => rendered(line, render)).join('\n');
}

/** The first lines that fit, so that no link is cut. */
function cut(lines: readonly string[], most: number): string {
  let text = '';
  for (const line of lines.join('\n').split('\n')) {
    if (text.length + line.length + 2 > most) return `${text}…`;
    text += text === '' ? line : `\n${line}`;
  }
  return text;
}

function plain(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : part.text)).join('');
}

/** A piece of a sentence as Slack wants it. */
export function slackPart(part: Part): string {
  if (typeof part === 'string') return slackText(part);
  return `<${inLink(part.url)}|${slackText(part.text).replaceAll('|', '¦')}>`;
}

function slackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A piece of a sentence in Markdown. */
export function markdownPart(part: Part): string {
  return typeof part === 'string' ? markdownText(part) : `[${markdownText(part.text)}](${inLink(part.url)})`;
}

/** What a link ends at, or is part of markup. */
function inLink(url: string): string {
  return url.replaceAll(
    /[\s<>()|\\[\]"]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** A zero-width space: what follows `@` is no name, and `{{` no function of a card. */
const GAP = '\u200b';

function markdownText(text: string): string {
  const escaped = text.replaceAll(/[\\`*_{}[\]()<>#!|~&]/g, '\\$&');
  // What would begin a list.
  const unlisted = escaped.replaceAll(/^([ \t]*)([-+]|\d+(?=[.)]))/gm, (_, space: string, sign: string) =>
    /\d/.test(sign) ? `${space}${sign}${GAP}` : `${space}\\${sign}`,
  );
  return unlisted.replaceAll('@', `@${GAP}`);
}
