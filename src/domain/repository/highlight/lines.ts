import highlighter from 'highlight.js/lib/common';
import dockerfile from 'highlight.js/lib/languages/dockerfile';
import elixir from 'highlight.js/lib/languages/elixir';
import haskell from 'highlight.js/lib/languages/haskell';
import nginx from 'highlight.js/lib/languages/nginx';
import powershell from 'highlight.js/lib/languages/powershell';
import protobuf from 'highlight.js/lib/languages/protobuf';
import scala from 'highlight.js/lib/languages/scala';
import { type FileSymbol, symbolsIn } from '#src/domain/repository/highlight/symbols.ts';

/** A text to be highlighted. */
export interface Highlighting {
  text: string;
  /** File name, or null to leave the text without colours. */
  name: string | null;
  /** Whether the first lines are enough, as many as are shown at once. False when absent. */
  isBeginning?: boolean;
}

/** The lines of a text, or its first ones. */
export interface HighlightedLines {
  /** Lines of the text, of which there may be more than here. */
  total: number;
  /** HTML of each, without its line break. Every tag that is opened in a line is closed in it. */
  lines: string[];
  /** Characters of each as they are shown. */
  lengths: number[];
  language: string | null;
  /** What the file defines; nothing where not all of it is here. */
  symbols: FileSymbol[];
  /** Whether some lines were too long to be shown whole. */
  isCut: boolean;
}

/** Characters of a line that are shown. */
const MAX_LINE_LENGTH = 5_000;

/**
 * The beginning of a text: more lines and characters than are shown at once (`file_text.ts`), so that what the grammar sees behind the
 * last one that is shown is what it sees in the whole text.
 */
const BEGINNING = { lines: 1_050, characters: 53_248 };

for (const [name, language] of Object.entries({ dockerfile, elixir, haskell, nginx, powershell, protobuf, scala })) {
  highlighter.registerLanguage(name, language);
}

/** Languages of files whose names have no ending that says it. */
const NAMED: Record<string, string> = {
  dockerfile: 'dockerfile',
  containerfile: 'dockerfile',
  makefile: 'makefile',
  gemfile: 'ruby',
  rakefile: 'ruby',
  '.bashrc': 'bash',
  '.profile': 'bash',
  '.gitconfig': 'ini',
  '.editorconfig': 'ini',
};

/** Texts of one file that are highlighted apart, such as the parts that a change shows. */
export interface HighlightingApart {
  texts: readonly string[];
  name: string;
}

/** The lines of each text as HTML; null where the name does not say in which language they are. For a thread. */
export function highlightApart({ texts, name }: HighlightingApart): string[][] | null {
  const known = languageOf(name);
  return known === null ? null : texts.map((text) => highlightLines({ text, name }).lines);
}

/** Highlights a text, or its beginning. Takes long for some texts: for a thread. */
export function highlightLines({ text, name, isBeginning = false }: Highlighting): HighlightedLines {
  // Browsers would begin a line at each carriage return.
  const given = text.replaceAll('\r', '').split('\n');
  if (given.at(-1) === '') given.pop();
  const isCut = given.some((line) => line.length > MAX_LINE_LENGTH);
  const wanted = isBeginning ? given.slice(0, endOfBeginning(given)) : given;
  const shown = isCut
    ? wanted.map((line) => (line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH)}…` : line))
    : wanted;
  const lengths = shown.map((line) => line.length);
  const language = name === null ? null : languageOf(name);
  const lines =
    language === null
      ? shown.map(escapeLine)
      : balanced(highlighter.highlight(shown.join('\n'), { language, ignoreIllegals: true }).value);
  const isWhole = shown.length === given.length;
  return {
    lines: shown.length === 0 ? [] : lines,
    lengths,
    language,
    symbols: language !== null && isWhole ? symbolsIn(lines, nameOf(language)) : [],
    isCut,
    total: given.length,
  };
}

/** The name of a language that is known by an ending, too: `ts` is TypeScript. */
function nameOf(language: string): string {
  return highlighter.listLanguages().find((one) => one === language || aliasesOf(one).includes(language)) ?? language;
}

function aliasesOf(language: string): readonly string[] {
  return highlighter.getLanguage(language)?.aliases ?? [];
}

/** Number of the first lines that are a beginning. */
function endOfBeginning(lines: readonly string[]): number {
  let characters = 0;
  const end = lines.findIndex((line, at) => {
    characters += Math.min(line.length, MAX_LINE_LENGTH) + 1;
    return at === BEGINNING.lines || characters > BEGINNING.characters;
  });
  return end < 0 ? lines.length : end;
}

function languageOf(name: string): string | null {
  const file = name.toLowerCase();
  const known = Object.hasOwn(NAMED, file) ? NAMED[file] : undefined;
  const ending = known ?? /\.([a-z0-9+#]{1,20})$/.exec(file)?.[1];
  return ending !== undefined && ending !== 'txt' && highlighter.getLanguage(ending) ? ending : null;
}

function escapeLine(line: string): string {
  return line
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#x27;');
}

/** The lines of highlighted text, each with the tags that are open where it begins. */
function balanced(html: string): string[] {
  const open: string[] = [];
  return html.split('\n').map((line) => {
    const before = open.join('');
    for (const [tag] of line.matchAll(/<span[^>]*>|<\/span>/g)) {
      if (tag === '</span>') open.pop();
      else open.push(tag);
    }
    return `${before}${line}${'</span>'.repeat(open.length)}`;
  });
}
