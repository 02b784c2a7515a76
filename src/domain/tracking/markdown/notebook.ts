import { parseJson, UnusableJson } from '#src/base/json.ts';
import { escapeHtml } from '#src/platform/outbound/mail/escape_html.ts';

/** What of a notebook is shown: cells, outputs of a cell, characters of an output that is text, of an image, and of all there is. */
const LIMITS = { cells: 500, outputs: 20, text: 20_000, image: 2 * 1024 * 1024, whole: 4 * 1024 * 1024 };

/** Images that outputs show, as they are or as Base64. */
const IMAGES = ['image/png', 'image/jpeg', 'image/gif'];

/** How the parts of a notebook become HTML, which is sanitised part by part. */
export interface PartsToHtml {
  markdown(text: string): string | null;
  html(text: string): string;
  code(text: string, language: string): string;
}

/**
 * A Jupyter notebook (nbformat 4) as sanitised HTML: its texts, its code with colours, and what was printed, without what would run. Null
 * if it is no notebook, or would be too large.
 *
 * @see https://nbformat.readthedocs.io/en/latest/format_description.html
 */
export function notebookHtml(source: string, to: PartsToHtml): string | null {
  const notebook = parsed(source);
  if (!isObject(notebook) || !Array.isArray(notebook.cells) || !(Number(notebook.nbformat) >= 4)) return null;
  const language = languageOf(notebook.metadata);
  const made: string[] = [];
  let size = 0;
  for (const cell of notebook.cells.slice(0, LIMITS.cells)) {
    const html = isObject(cell) ? cellHtml(cell, language, to) : null;
    if (html === null) continue;
    size += html.length;
    if (size > LIMITS.whole) return null;
    made.push(`<div class="notebook-cell">${html}</div>`);
  }
  if (notebook.cells.length > LIMITS.cells) made.push('<p>…</p>');
  return made.join('\n');
}

function cellHtml(cell: Record<string, unknown>, language: string, to: PartsToHtml): string | null {
  const text = textOf(cell.source);
  if (cell.cell_type === 'markdown') return to.markdown(text) ?? preformatted(text);
  if (cell.cell_type === 'raw') return preformatted(text);
  if (cell.cell_type !== 'code') return null;
  const outputs = Array.isArray(cell.outputs) ? cell.outputs.filter(isObject) : [];
  const shown = outputs.slice(0, LIMITS.outputs).map((output) => outputHtml(output, to));
  const code = text === '' ? '' : `<pre><code>${to.code(text, language)}</code></pre>`;
  return [
    code,
    ...shown.filter((html) => html !== '').map((html) => `<div class="notebook-output">${html}</div>`),
  ].join('\n');
}

/** The richest form of an output that is shown: an image, HTML, Markdown, or text. */
function outputHtml(output: Record<string, unknown>, to: PartsToHtml): string {
  if (output.output_type === 'stream') return preformatted(textOf(output.text));
  if (output.output_type === 'error') return preformatted(textOf(output.traceback, '\n'));
  const data = isObject(output.data) ? output.data : {};
  for (const type of IMAGES) {
    const content = textOf(data[type]).replace(/\s/g, '');
    if (content === '' || content.length > LIMITS.image || !/^[A-Za-z0-9+/]+={0,2}$/.test(content)) continue;
    return `<img src="data:${type};base64,${content}" alt="">`;
  }
  const html = textOf(data['text/html']);
  if (html !== '' && html.length <= LIMITS.text) return to.html(html);
  const markdown = textOf(data['text/markdown']);
  if (markdown !== '') return to.markdown(markdown) ?? preformatted(markdown);
  const formula = textOf(data['text/latex']);
  if (formula !== '')
    return `<pre><code class="language-math">${escapeHtml(formula.replace(/^\$+|(?<!\$)\$+$/g, '').slice(0, LIMITS.text))}</code></pre>`;
  return preformatted(textOf(data['text/plain']));
}

/** Text as it is, without the sequences that colour it in a terminal. */
function preformatted(text: string): string {
  const cut = text.length > LIMITS.text ? `${text.slice(0, LIMITS.text)}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what begins such a sequence
  const plain = cut.replace(/\u001b\[[0-9;]{0,32}[A-Za-z]/g, '').toWellFormed();
  return plain.trim() === '' ? '' : `<pre>${escapeHtml(plain)}</pre>`;
}

function languageOf(metadata: unknown): string {
  const { kernelspec, language_info: info } = isObject(metadata) ? metadata : {};
  const name = isObject(info) ? info.name : isObject(kernelspec) ? kernelspec.language : null;
  return typeof name === 'string' ? name : 'python';
}

/** A text of a notebook, which may be a list of its lines. */
function textOf(value: unknown, between = ''): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) ? value.filter((line) => typeof line === 'string').join(between) : '';
}

function parsed(source: string): unknown {
  try {
    return parseJson(Buffer.from(source));
  } catch (error) {
    if (!(error instanceof UnusableJson)) throw error;
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
