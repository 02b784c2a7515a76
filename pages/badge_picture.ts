/** What a badge shows: a label on grey, and a value on a colour. */
export interface Badge {
  label: string;
  value: string;
  color: string;
}

/** How a badge is to look, as addresses say it. */
export interface BadgeStyle {
  /** Text in place of the label; at most 64 characters count. */
  keyText?: string | undefined;
  /** Width of the label in pixels, from 1 to 512; as wide as its text otherwise. */
  keyWidth?: number | undefined;
  /** The same of the value. */
  valueWidth?: number | undefined;
  isSquare: boolean;
}

const MAX_TEXT = 64;
const MAX_WIDTH = 512;
const HEIGHT = 20;

/** Pixels on both sides of a text together. */
const PADDING = 10;

/** Widths of characters of the font in pixels, as far as they differ from that of most. */
const NARROW = /[ijltfrI1.,:;'|!()[\] -]/;
const WIDE = /[mwMW@%]|[\u{300}-\u{10ffff}]/u;

/** The picture of a badge as SVG. Texts are written as wide as they are taken to be, whatever fonts there are. */
export function badgePicture({ label, value, color }: Badge, style: BadgeStyle): string {
  const left = shortened(style.keyText || label);
  const right = shortened(value);
  const [leftWidth, rightWidth] = [widthOf(left, style.keyWidth), widthOf(right, style.valueWidth)];
  const width = leftWidth + rightWidth;
  const text = (content: string, from: number, of: number) => {
    const room = `x="${from + of / 2}" textLength="${Math.min(measured(content), Math.max(1, of - PADDING / 2))}"`;
    return (
      `<text ${room} y="15" fill="#010101" fill-opacity=".3" lengthAdjust="spacingAndGlyphs">${escaped(content)}</text>` +
      `<text ${room} y="14" lengthAdjust="spacingAndGlyphs">${escaped(content)}</text>`
    );
  };
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${HEIGHT}" role="img" aria-label="${escaped(`${left}: ${right}`)}">`,
    `<title>${escaped(`${left}: ${right}`)}</title>`,
    `<clipPath id="round"><rect width="${width}" height="${HEIGHT}" rx="${style.isSquare ? 0 : 3}"/></clipPath>`,
    '<g clip-path="url(#round)">',
    `<rect width="${leftWidth}" height="${HEIGHT}" fill="#555"/>`,
    `<rect x="${leftWidth}" width="${rightWidth}" height="${HEIGHT}" fill="${color}"/>`,
    '</g>',
    '<g fill="#fff" text-anchor="middle" font-family="DejaVu Sans,Verdana,Geneva,sans-serif" font-size="11">',
    `${text(left, 0, leftWidth)}${text(right, leftWidth, rightWidth)}`,
    '</g>',
    '</svg>\n',
  ].join('');
}

const GREY = '#9f9f9f';

/** What the badge of a pipeline says, in the words of today, which scripts read. */
const PIPELINES: Readonly<Record<string, readonly [value: string, color: string]>> = {
  SUCCESS: ['passed', '#4c1'],
  FAILED: ['failed', '#e05d44'],
  RUNNING: ['running', '#dfb317'],
  PENDING: ['pending', '#dfb317'],
  WAITING_FOR_RESOURCE: ['waiting for resource', '#a7a7a7'],
  CANCELED: ['canceled', GREY],
  CANCELING: ['canceling', GREY],
  SKIPPED: ['skipped', GREY],
  MANUAL: ['manual', '#a7a7a7'],
  SCHEDULED: ['scheduled', '#a7a7a7'],
  CREATED: ['created', '#a7a7a7'],
};

/** The badge of the latest pipeline of a branch or tag; `status` is null without one. */
export function pipelineBadge(status: string | null): Badge {
  const [value, color] = PIPELINES[status ?? ''] ?? ['unknown', GREY];
  return { label: 'pipeline', value, color };
}

/** From which share of covered lines on a badge has a colour, in percent. */
export interface CoverageBounds {
  good: number;
  acceptable: number;
  medium: number;
}

export const COVERAGE_BOUNDS: CoverageBounds = { good: 95, acceptable: 90, medium: 75 };

/** The badge of a coverage in percent, null where none is known. */
export function coverageBadge(coverage: number | null, { good, acceptable, medium }: CoverageBounds): Badge {
  const label = 'coverage';
  if (coverage === null) return { label, value: 'unknown', color: GREY };
  const value = `${coverage.toFixed(2)}%`;
  if (coverage >= good) return { label, value, color: '#4c1' };
  if (coverage >= acceptable) return { label, value, color: '#a3c51c' };
  return { label, value, color: coverage >= medium ? '#dfb317' : '#e05d44' };
}

/** The badge of the latest release by the name of its tag, null where there is none. */
export function releaseBadge(tag: string | null): Badge {
  const label = 'Latest Release';
  return tag === null ? { label, value: 'none', color: '#e05d44' } : { label, value: tag, color: '#3076af' };
}

function shortened(text: string): string {
  const characters = [...text.toWellFormed().replace(/\p{Cc}/gu, ' ')];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 1).join('')}…` : characters.join('');
}

function measured(text: string): number {
  return [...text].reduce((sum, one) => sum + (NARROW.test(one) ? 4.5 : WIDE.test(one) ? 10.5 : 6.8), 0);
}

function widthOf(text: string, given: number | undefined): number {
  const isGiven = given !== undefined && Number.isInteger(given) && given >= 1 && given <= MAX_WIDTH;
  return isGiven ? given : Math.ceil(measured(text)) + PADDING;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '').replace(/[\ufffe\uffff]/g, '');
}
