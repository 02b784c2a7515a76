import { globSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { type AnyNode, type Expression, type Program, parse } from 'acorn';
import { ancestor } from 'acorn-walk';
import { Eta } from 'eta';

/** Reads which texts pages and mails have, from their sources: what the catalogues must hold, and what stands outside of them. */

const root = path.resolve(import.meta.dirname, '..');

/** Functions whose first argument is a text of the catalogue. */
const TAKES_TEXT = ['t', 'rich', 'label'];

/** Attributes of HTML that people read. */
const READ = ['title', 'placeholder', 'aria-label', 'aria-description', 'alt', 'label', 'data-text'];

/** The templates, as paths below the root. */
export function templates(): string[] {
  return globSync('pages/views/**/*.eta', { cwd: root }).sort();
}

/** The sources of the texts that templates and programs take from the catalogue, in order and each once. */
export function textsUsed(): string[] {
  const programs = globSync('{pages,src}/**/*.ts', { cwd: root })
    .filter((file) => !file.includes('/generated/'))
    .map((file) => ({ file, source: read(file) }))
    .filter(({ file, source }) => /^pages\/|\/web\/pages\//.test(file) || source.includes('platform/texts/texts.ts'))
    .map(({ source }) => source)
    .map((source) => ({ program: parsed(stripTypeScriptTypes(source)) }));
  const all = [...programs, ...templates().map(compiled)];
  return [...new Set(all.flatMap(({ program }) => textsOf(program)))].sort();
}

/** What people read of a template that does not come from the catalogue. */
export function textsOutside(template: string): string[] {
  const { program, html } = compiled(template);
  return [...textsOfHtml(html), ...wordsWritten(program)];
}

/** The programs of pages, as paths below the root. */
export function programs(): string[] {
  return globSync('{pages/*.ts,pages/engine/*.ts,src/entrances/web/pages/*.ts}', { cwd: root }).sort();
}

/** What a program of pages says in titles and the like, and hands to templates, other than from the catalogue. */
export function textsOutsideProgram(file: string): string[] {
  const isShown = (node: AnyNode) => node.type === 'Property' && SHOWN.includes(nameOf(node.key));
  // The history of a repository stays English, whoever commits.
  const isMessage = (node: AnyNode) => node.type === 'CallExpression' && nameOf(node.callee) === 'shownAt';
  const isWritten = (ancestors: readonly AnyNode[]) => ancestors.some(isShown) && !ancestors.some(isMessage);
  return wordsWritten(parsed(stripTypeScriptTypes(read(file))), isWritten);
}

/** Properties whose values people read, and options of rows that make such. */
const SHOWN = [
  ...['title', 'label', 'summary', 'message', 'button', 'done', 'notice'],
  ...['show', 'shows', 'feed', 'answer'],
];

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}

const eta = new Eta({ autoTrim: false });

/** The program that a template becomes, and its HTML with `{}` for what the program writes. */
function compiled(template: string): { program: Program; html: string } {
  const parts = eta.parse(read(template));
  const code = parts.map((part) =>
    typeof part === 'string' ? '' : part.t === 'e' ? `${part.val}\n` : `write(${part.val})\n`,
  );
  const html = parts.map((part) => (typeof part === 'string' ? part : part.t === 'e' ? '' : '{}'));
  return {
    program: parsed(code.join('')),
    html: html
      .join('')
      .replace(/\\n/g, '\n')
      .replace(/\\(['\\])/g, '$1'),
  };
}

function parsed(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', allowReturnOutsideFunction: true });
}

/** The texts that a program takes from the catalogue. */
function textsOf(program: Program): string[] {
  const found: string[] = [];
  ancestor(program, {
    CallExpression({ callee, arguments: [first] }) {
      if (TAKES_TEXT.includes(nameOf(callee)) && first) found.push(...literals(first as AnyNode));
    },
  });
  return found;
}

function nameOf(callee: AnyNode): string {
  if (callee.type === 'Identifier') return callee.name;
  return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? callee.property.name : '';
}

/** The texts that an argument may be: one, or one of two. */
function literals(node: AnyNode): string[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateLiteral')
    return node.expressions.length === 0 ? [String(node.quasis[0]?.value.cooked)] : [];
  return node.type === 'ConditionalExpression' ? [...literals(node.consequent), ...literals(node.alternate)] : [];
}

/** Text and attributes of HTML that have letters. */
function textsOfHtml(html: string): string[] {
  const visible = html.replace(/<!--[\s\S]*?-->/g, '').replace(/<(script|style|pre)\b[\s\S]*?<\/\1>/g, '');
  const texts = visible.replace(/<[^>]*>/g, '\n').split('\n');
  const attributes = [...visible.matchAll(/\s([\w-]+)="([^"]*)"/g)].filter(([, name = '']) => READ.includes(name));
  return [...texts, ...attributes.map(([, , value = '']) => value)]
    .map((text) => text.replace(/&\w+;/g, ' ').trim())
    .filter((text) => /\p{L}{2}/u.test(text.replace(UNSPOKEN, '')));
}

/** Names, which are the same in all languages. */
const UNSPOKEN = /\b(Gantry|GraphiQL|GraphQL|SHA256|tar\.gz|Visual Studio Code|IntelliJ IDEA)\b/g;

/** Texts that a template writes in its code other than by the catalogue: words that begin in upper case, or several of them. */
function wordsWritten(program: Program, isWritten = (_ancestors: readonly AnyNode[]) => true): string[] {
  const found: string[] = [];
  const note = (text: string, ancestors: readonly AnyNode[]) => {
    if (
      /^\p{Lu}\p{Ll}|\p{L}{2,} \p{L}{2,}/u.test(text.replace(UNSPOKEN, '')) &&
      isWritten(ancestors) &&
      !isNoText(ancestors)
    )
      found.push(text);
  };
  ancestor(program, {
    Literal({ value }, _state, ancestors) {
      if (typeof value === 'string') note(value, ancestors as AnyNode[]);
    },
    TemplateLiteral({ quasis }, _state, ancestors) {
      const html = quasis.map(({ value }) => value.cooked).join('{}');
      for (const text of textsOfHtml(html)) note(text, ancestors as AnyNode[]);
    },
  });
  return found;
}

/** Whether a literal is no text that is written: of the catalogue, a name, something compared, or a class of HTML. */
function isNoText(ancestors: readonly AnyNode[]): boolean {
  return ancestors.some((node, index) => {
    const child = ancestors[index + 1];
    if (node.type === 'CallExpression')
      return child === node.arguments[0] && [...TAKES_TEXT, 'layout', 'include'].includes(nameOf(node.callee));
    if (node.type === 'Property') return nameOf(node.key) === 'actions';
    if (node.type === 'BinaryExpression') return /^[!=]==?$/.test(node.operator);
    if (node.type === 'MemberExpression') return node.computed && child === (node.property as Expression);
    return false;
  });
}
