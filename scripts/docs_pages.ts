import { copyFileSync, cpSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { graphqlPages } from './docs_graphql.ts';

/** The documents outside of docs/ that are pages, too. */
const PAGES_OUTSIDE_DOCS = {
  'README.md': 'tour.md',
  'CHANGELOG.md': 'changelog.md',
  'CONTRIBUTING.md': 'contributing.md',
};

/**
 * Lays out the pages of the site: the documents under their names on it, the files that they link to, the reference of
 * GraphQL, the reader of the REST API, and what VitePress needs for the side bar (site.json).
 *
 * @param root absolute path of the checkout
 * @param pages absolute path of the directory that is made anew
 */
export function layOut(root: string, pages: string): void {
  const sources = globSync(['docs/*.md', 'docs/contract/*.md'], { cwd: root }).sort();
  const names = new Map([
    ...Object.entries(PAGES_OUTSIDE_DOCS),
    ...sources.map((source) => [source, nameOf(source)] as const),
  ]);
  rmSync(pages, { recursive: true, force: true });
  const write = (name: string, text: string) => {
    mkdirSync(path.dirname(path.join(pages, name)), { recursive: true });
    writeFileSync(path.join(pages, name), text);
  };
  const linked = new Set<string>();
  for (const [source, name] of names) {
    const text = readFileSync(path.join(root, source), 'utf8');
    write(name, withLinks(text, { source, name, names, linked }));
  }
  for (const file of linked) write(pageOfFile(file), filePage(root, file));
  for (const [name, text] of graphqlPages(readFileSync(path.join(root, 'schema/schema.graphql'), 'utf8')))
    write(`graphql/${name}`, text);
  cpSync(path.join(root, 'assets/screenshot.png'), path.join(pages, 'assets/screenshot.png'));
  cpSync(path.join(root, 'docs/pictures'), path.join(pages, 'docs/pictures'), { recursive: true });
  readerOfRest(root, path.join(pages, 'public/rest'));
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const index = readFileSync(path.join(pages, 'index.md'), 'utf8');
  write('site.json', JSON.stringify({ version, sidebar: sidebarOf(index) }));
}

/** `docs/README.md` is the first page; directories have theirs as usual. */
function nameOf(source: string): string {
  return source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

interface Linking {
  source: string;
  name: string;
  names: ReadonlyMap<string, string>;
  /** Gets the files and directories of the checkout that are linked to and are no documents. */
  linked: Set<string>;
}

/** Leads links, outside of code, to the pages of what they lead to in the checkout. */
function withLinks(text: string, { source, name, names, linked }: Linking): string {
  const place = (link: string) => {
    const [target = '', anchor] = link.split('#');
    if (/^[a-z]+:/.test(link) || target === '') return link;
    const file = path.posix.normalize(path.posix.join(path.posix.dirname(source), target)).replace(/\/$/, '');
    const isPicture = /\.(png|svg|webp)$/.test(file);
    const known = isPicture ? file : names.get(file);
    if (known === undefined) linked.add(file);
    const relative = path.posix.relative(path.posix.dirname(name), known ?? pageOfFile(file));
    return `${relative.startsWith('.') ? '' : './'}${relative}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  // Code, as a block or in a line, stays; comments of the generators are not to be seen.
  return text.replaceAll(
    /^```.*?^```$|``.*?``|`[^`\n]*`|^<!--.*?-->$|\]\(([^()\s]+)\)/gms,
    (all, link: string | undefined) => {
      if (link !== undefined) return `](${place(link)})`;
      return all.startsWith('<!--') ? '' : all;
    },
  );
}

function pageOfFile(file: string): string {
  return `files/${file}${path.extname(file) === '.md' ? '' : '.md'}`;
}

/** A file of the checkout, or all files of a directory, as they are. */
function filePage(root: string, file: string): string {
  const place = path.join(root, file);
  const files = statSync(place).isDirectory()
    ? globSync('**/*', { cwd: place, exclude: ['**/node_modules/**'] })
        .filter((one) => statSync(path.join(place, one)).isFile())
        .sort()
        .map((one) => path.posix.join(file, one))
    : [file];
  const fence = '~~~~~~';
  const shown = files.map((one) => {
    const text = readFileSync(path.join(root, one), 'utf8').trimEnd();
    return `## ${one}\n\n${fence}${languageOf(one)}\n${text}\n${fence}\n`;
  });
  return `---\nsearch: false\n---\n\n# ${file}\n\n${shown.join('\n')}`;
}

function languageOf(file: string): string {
  const known = ['js', 'ts', 'graphql', 'rb', 'go', 'json', 'yaml', 'md', 'sh'];
  const extension = path.extname(file).slice(1).replace('py', 'python');
  return known.includes(extension) || extension === 'python' ? extension : 'text';
}

/** The side bar has the chapters of docs/README.md, which lists the documents by kind of reader. */
function sidebarOf(index: string) {
  const chapters = index.split(/^## /m).slice(1);
  const found = chapters.map((chapter) => {
    const [text = ''] = chapter.split('\n', 1);
    const links = [...chapter.matchAll(/^\| \[([^\]]+)\]\(\.\/([^)#\s]+?)(?:\.md)?(#[^)\s]*)?\)/gm)];
    const items = links.map(([, name = '', page = '', anchor = '']) => ({
      text: name,
      link: `/${page.replace(/index$/, '')}${anchor}`,
    }));
    return { text, collapsed: false, items };
  });
  const reference = [
    { text: 'REST API', link: '/rest/index.html', target: '_self' },
    { text: 'GraphQL', link: '/graphql/' },
  ];
  return [...found.filter(({ items }) => items.length > 0), { text: 'Reference', items: reference }];
}

/** The reader that servers have at /-/docs, with the same description. */
function readerOfRest(root: string, directory: string): void {
  mkdirSync(directory, { recursive: true });
  copyFileSync(path.join(root, 'rest/openapi.json'), path.join(directory, 'openapi.json'));
  const viewer = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css', 'LICENSE', 'NOTICE'])
    copyFileSync(path.join(viewer, file), path.join(directory, file));
  writeFileSync(path.join(directory, 'index.html'), READER);
}

const READER = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>REST API | Gantry</title>
<link rel="stylesheet" href="swagger-ui.css">
<style>body { margin: 0 } nav { font: 1rem system-ui; padding: 1rem 2rem } </style>
<nav><a href="../index.html">Gantry</a> · REST API, from <a href="openapi.json">openapi.json</a></nav>
<main id="viewer"></main>
<script src="swagger-ui-bundle.js"></script>
<script>
  SwaggerUIBundle({
    url: 'openapi.json',
    dom_id: '#viewer',
    docExpansion: 'none',
    deepLinking: true,
    validatorUrl: null,
    // Nobody answers here: servers have the same reader at /-/docs, where requests can be tried.
    supportedSubmitMethods: [],
  });
</script>
`;
