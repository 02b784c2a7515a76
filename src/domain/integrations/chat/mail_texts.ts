import type { Message, Part } from '#src/domain/integrations/chat/message.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';

/** The texts of a mail that shows a message, with something as it was written below it. */
export function mailTexts(
  { title, lines }: Message,
  { verbatim, footer }: { verbatim: string; footer: string },
): { text: string; html: string } {
  const plain = [plainLine(title), ...lines.map(plainLine), ...(verbatim === '' ? [] : [verbatim]), footer];
  const rows = lines.map((line) => `<br>${htmlLine(line)}`).join('\n');
  const code = verbatim === '' ? '' : `<pre style="overflow-x: auto">${escapeHtml(verbatim)}</pre>\n`;
  const html = `<!doctype html>
<html lang="en"><body style="font-family: sans-serif; line-height: 1.5">
<p>${htmlLine(title)}${rows}</p>
${code}<p>${escapeHtml(footer)}</p>
</body></html>
`;
  return { text: `${plain.join('\n\n')}\n`, html };
}

function plainLine(parts: readonly Part[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : `${part.text} <${part.url}>`)).join('');
}

function htmlLine(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' ? escapeHtml(part) : `<a href="${escapeHtml(part.url)}">${escapeHtml(part.text)}</a>`,
    )
    .join('');
}
