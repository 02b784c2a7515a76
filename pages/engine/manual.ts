import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { packagePath, packageRoot } from '#src/platform/package_root.ts';

/** The documents that a server has: those for who uses it, writes a client for it or administers it. */
export interface Manual {
  /** Documents by their names below `/help`; the first page has the empty one. */
  readonly documents: ReadonlyMap<string, ManualPage>;
  readonly chapters: readonly Chapter[];
}

export interface ManualPage {
  readonly name: string;
  readonly title: string;
  /** Markdown, whose links lead to pages of the manual. */
  readonly text: string;
  readonly sections: readonly Section[];
}

/** What stands below a heading. */
export interface Section {
  readonly heading: string;
  /** As it is on the page. */
  readonly anchor: string;
  readonly text: string;
  /** The same in lower case, for searches. */
  readonly lowerCase: string;
}

/** A chapter of the first page. */
export interface Chapter {
  readonly title: string;
  readonly links: readonly { name: string; title: string }[];
}

/** A place of the manual where words were found. */
export interface ManualHit {
  readonly page: ManualPage;
  readonly section: Section;
  /** Text around the first of the words. */
  readonly excerpt: string;
}

/** Path of the manual. */
export const HELP = '/help';

/** The most places that a search finds. */
const MAX_HITS = 30;
/** Words of a search that count. */
const MAX_WORDS = 8;
/** Characters of an excerpt before and after the word. */
const AROUND = 100;

/** What a server has of the checkout besides docs/. */
const FILES_OUTSIDE_DOCS: Record<string, string> = { 'README.md': 'tour', 'CHANGELOG.md': 'changelog' };
/** What is for who works on Gantry. */
const NOT_HERE = ['docs/architecture.md', 'docs/decisions.md'];

let known: Manual | null = null;

/** The manual, which is read once. */
export function manual(): Manual {
  known ??= readManual();
  return known;
}

function readManual(): Manual {
  const files = [
    ...globSync(['docs/*.md', 'docs/contract/*.md'], { cwd: packageRoot }),
    ...Object.keys(FILES_OUTSIDE_DOCS),
  ]
    .map((file) => file.replaceAll(path.sep, '/'))
    .filter((file) => !NOT_HERE.includes(file));
  const names = new Map(files.map((file) => [file, FILES_OUTSIDE_DOCS[file] ?? nameOf(file)]));
  const pages = [...names].map(([file, name]) => {
    const text = withLinks(readFileSync(packagePath(file), 'utf8'), file, names);
    const sections = sectionsOf(text);
    return [name, { name, title: sections[0]?.heading ?? name, text, sections }] as const;
  });
  const documents = new Map(pages);
  return { documents, chapters: chaptersOf(documents.get('')?.text ?? '', documents) };
}

/** `docs/README.md` is the first page; folders have theirs as usual. */
function nameOf(file: string): string {
  return file
    .replace(/^docs\//, '')
    .replace(/(^|\/)README\.md$/, '')
    .replace(/\.md$/, '');
}

/** Leads links, outside of code, to pages of the manual; of those that lead to what servers do not have the words stay. */
function withLinks(text: string, file: string, names: ReadonlyMap<string, string>): string {
  const here = path.posix.dirname(file);
  return text.replaceAll(
    /^```.*?^```$|``.*?``|`[^`\n]*`|!?\[((?:[^[\]`]|`[^`\n]*`){1,300})\]\(([^()\s]{1,300})\)/gms,
    (all, words: string | undefined, link: string | undefined) => {
      if (words === undefined || link === undefined || /^[a-z]+:/.test(link)) return all;
      if (all.startsWith('!')) return '';
      const [target = '', anchor] = link.split('#');
      const name = names.get(target === '' ? file : path.posix.normalize(path.posix.join(here, target)));
      return name === undefined ? words : `[${words}](${addressOf(name, anchor)})`;
    },
  );
}

/** The address of a page of the manual. */
export function addressOf(name: string, anchor?: string): string {
  return `${HELP}${name === '' ? '' : `/${name}`}${anchor ? `#${ANCHOR}${anchor}` : ''}`;
}

/** Before the anchors of rendered texts. */
const ANCHOR = 'user-content-';

function sectionsOf(text: string): Section[] {
  const taken = new Map<string, number>();
  const found: { heading: string; anchor: string; lines: string[] }[] = [];
  let isCode = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('```')) isCode = !isCode;
    const [, heading] = isCode ? [] : (/^#{1,6} (.{1,300})$/.exec(line) ?? []);
    if (heading === undefined) {
      found.at(-1)?.lines.push(line);
      continue;
    }
    const plain = withoutMarks(heading);
    const id = plain
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const before = taken.get(id) ?? 0;
    taken.set(id, before + 1);
    found.push({ heading: plain, anchor: before === 0 ? id : `${id}-${before}`, lines: [] });
  }
  return found.map(({ lines, ...section }) => {
    const text = withoutMarks(lines.join('\n'));
    return { ...section, text, lowerCase: text.toLowerCase() };
  });
}

/** Markdown as one reads it in a line. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/\[([^[\]]{1,300})\]\([^()\s]{1,300}\)/g, '$1')
    .replaceAll(/^[#>|\s-]+|[`*|]/gm, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function chaptersOf(text: string, documents: ReadonlyMap<string, ManualPage>): Chapter[] {
  return text
    .split(/^## /m)
    .slice(1)
    .map((chapter) => ({
      title: chapter.split('\n', 1)[0] ?? '',
      links: [...chapter.matchAll(/^\| \[([^\]]+)\]\(\/help\/?([^)#\s]*)/gm)]
        .map(([, title = '', name = '']) => ({ title, name }))
        .filter(({ name }) => documents.has(name)),
    }))
    .filter(({ links }) => links.length > 0);
}

/** The sections that have all words, those first that have them in their headings. */
export function searchManual(words: string): ManualHit[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, MAX_WORDS);
  if (wanted.length === 0) return [];
  const found: (ManualHit & { rank: number })[] = [];
  for (const page of manual().documents.values()) {
    for (const section of page.sections) {
      const heading = `${page.title} ${section.heading}`.toLowerCase();
      const text = section.lowerCase;
      if (!wanted.every((word) => heading.includes(word) || text.includes(word))) continue;
      const at = Math.max(0, ...wanted.map((word) => text.indexOf(word)));
      const start = Math.max(0, at - AROUND);
      const excerpt = `${start > 0 ? '…' : ''}${section.text.slice(start, at + AROUND).trim()}…`;
      const rank = wanted.filter((word) => heading.includes(word)).length;
      found.push({ page, section, excerpt, rank });
    }
  }
  return found.sort((a, b) => b.rank - a.rank).slice(0, MAX_HITS);
}

/** The tasks of docs/graphql.md: what each does, and its operation. */
export function graphqlTasks(): { title: string; query: string }[] {
  const text = manual().documents.get('graphql')?.text ?? '';
  const found = text.matchAll(/^\*\*\d+\. (.+?)\.?\*\*.*?^```graphql\n(.*?)^```$/gms);
  return [...found].map(([, title = '', query = '']) => ({ title, query }));
}
