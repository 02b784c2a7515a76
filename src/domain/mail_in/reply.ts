/** Lines that are looked at for the one above a quotation that mail programs write over up to three lines. */
const MAX_ATTRIBUTION_LINES = 3;
/** Characters of such a line. */
const MAX_ATTRIBUTION_LENGTH = 400;

/** How mail programs begin and end the line above what they quote, by language. */
const ATTRIBUTIONS: readonly [begin: RegExp, end: RegExp][] = [
  [/^On\b/i, /\bwrote:$/i],
  [/^(?:Am|Den)\b/i, /\bschrieb\b.*:$/i],
  [/^Le\b/i, /\ba [ée]crit\s?:$/i],
  [/^El\b/i, /\bescribi[óo]:$/i],
  [/^Il\b/i, /\bha scritto:$/i],
  [/^Op\b/i, /\b(?:schreef|geschreven)\b.*:$/i],
  [/^Em\b/i, /\bescreveu:$/i],
  [/^(?:W dniu|Dnia)/i, /napisa[łl]\(?a?\)?:$/i],
  [/^Den\b/i, /\b(?:skrev)\b.*:$/i],
];

/** Lines behind which programs put the whole message that is answered. */
const SEPARATORS = [
  /^-{2,}\s?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Original-Nachricht|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht|Mensagem original)\s?-{2,}$/i,
  /^_{20,}$/,
];

/** The headers of an answered message that Outlook puts below a reply. */
const HEADERS: readonly [RegExp, RegExp] = [
  /^\*?(?:From|Von|De|Da|Van)\s?:\*?\s/i,
  /^\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado|Inviato|Verzonden)\s?:\*?\s/i,
];

/** Lines that small devices put under what was written. */
const DEVICES = /^(?:Sent from my|Von meinem .* gesendet|Gesendet von|Envoyé de mon|Enviado desde mi|Get Outlook for)/i;

/**
 * What a sender has written themselves: without the signature, and without what is quoted below. What is quoted between own lines
 * stays, as they refer to it. Takes time in proportion to the text.
 */
export function replyIn(text: string): string {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const own = lines.slice(0, endOf(lines));
  let quoted = false;
  for (let last = own.at(-1); last !== undefined && isQuoteOrBlank(last); last = own.at(-1)) {
    quoted ||= last.trim() !== '';
    own.pop();
  }
  // A quotation has the line above it that says whom it quotes.
  if (quoted) dropAttribution(own);
  if (DEVICES.test(own.findLast((line) => line.trim() !== '') ?? ''))
    own.splice(own.findLastIndex((line) => line.trim() !== ''));
  return own.join('\n').trim();
}

/** The number of the line with which a signature, or a whole message that is answered, begins. */
function endOf(lines: readonly string[]): number {
  for (const [at, line] of lines.entries()) {
    if (line === '-- ' || (line === '--' && (lines[at - 1] ?? '').trim() === '')) return at;
    if (line.length > MAX_ATTRIBUTION_LENGTH) continue;
    const short = line.trim();
    if (SEPARATORS.some((separator) => separator.test(short))) return at;
    if (HEADERS[0].test(short) && HEADERS[1].test((lines[at + 1] ?? '').slice(0, MAX_ATTRIBUTION_LENGTH).trim()))
      return at;
  }
  return lines.length;
}

/** How many lines from here on say whom the following ones quote; 0 if they do not. */
function attributionAt(lines: readonly string[], at: number): number {
  let joined = '';
  for (let count = 1; count <= MAX_ATTRIBUTION_LINES; count += 1) {
    const line = lines[at + count - 1];
    if (line === undefined || line.trim() === '') return 0;
    joined = `${joined} ${line.trim()}`.trim();
    if (joined.length > MAX_ATTRIBUTION_LENGTH) return 0;
    const known = ATTRIBUTIONS.filter(([begin]) => begin.test(joined));
    if (known.length === 0) return 0;
    if (known.some(([, end]) => end.test(joined))) return count;
  }
  return 0;
}

function isQuoteOrBlank(line: string): boolean {
  return line.trim() === '' || line.startsWith('>');
}

/** Takes the attribution at the end away. */
function dropAttribution(own: string[]): void {
  for (let count = 1; count <= MAX_ATTRIBUTION_LINES && count <= own.length; count += 1) {
    if (attributionAt(own, own.length - count) === count) {
      own.length -= count;
      return;
    }
  }
}
