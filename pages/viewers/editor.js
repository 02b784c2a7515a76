// The editor of files, which takes the place of a text area (pages/scripts/editor.js): colours, search, indentation.
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  defineLanguageFacet,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  Language,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { c, cpp, csharp, dart, java, kotlin, scala } from '@codemirror/legacy-modes/mode/clike';
import { css, less, sCSS } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { perl } from '@codemirror/legacy-modes/mode/perl';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { GFM, parser as markdownParser } from '@lezer/markdown';

const ENDINGS = {
  c: [c, 'c h'],
  cpp: [cpp, 'cc cpp cxx hh hpp hxx'],
  csharp: [csharp, 'cs'],
  css: [css, 'css'],
  dart: [dart, 'dart'],
  diff: [diff, 'diff patch'],
  docker: [dockerFile, 'dockerfile'],
  go: [go, 'go'],
  groovy: [groovy, 'groovy gradle jenkinsfile'],
  html: [html, 'html htm vue svelte'],
  java: [java, 'java'],
  javascript: [javascript, 'js mjs cjs jsx'],
  json: [json, 'json json5 webmanifest'],
  kotlin: [kotlin, 'kt kts'],
  less: [less, 'less'],
  lua: [lua, 'lua'],
  perl: [perl, 'pl pm'],
  powershell: [powerShell, 'ps1 psm1'],
  properties: [properties, 'properties ini conf env'],
  protobuf: [protobuf, 'proto'],
  python: [python, 'py pyi'],
  ruby: [ruby, 'rb gemfile rakefile gemspec'],
  rust: [rust, 'rs'],
  scala: [scala, 'scala sbt'],
  scss: [sCSS, 'scss'],
  shell: [shell, 'sh bash zsh bashrc profile'],
  sql: [standardSQL, 'sql'],
  swift: [swift, 'swift'],
  toml: [toml, 'toml'],
  typescript: [typescript, 'ts mts cts tsx'],
  xml: [xml, 'xml svg xsd xsl plist'],
  yaml: [yaml, 'yml yaml'],
};

const markdown = new Language(defineLanguageFacet(), markdownParser.configure(GFM), [], 'markdown');

/** The language of a file, by its ending or its whole name; none for others. */
function languageOf(path) {
  const name = path.split('/').at(-1).toLowerCase();
  const ending = name.split('.').at(-1);
  if (['md', 'markdown', 'mdown', 'mkd'].includes(ending)) return markdown;
  const found = Object.values(ENDINGS).find(([, endings]) => endings.split(' ').includes(ending));
  return found ? StreamLanguage.define(found[0]) : [];
}

/** With what lines of a text begin that are indented: a tab, or as many spaces as the fewest. */
function unitOf(text) {
  const indents = text.slice(0, 100_000).match(/^(?:\t| {2,8})(?=\S)/gm) ?? [];
  const spaces = indents.filter((indent) => indent !== '\t');
  if (spaces.length < indents.length / 2) return '\t';
  return spaces.reduce((fewest, indent) => (indent.length < fewest.length ? indent : fewest), spaces[0] ?? '  ');
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.typeName, tags.bool, tags.null], color: 'light-dark(#8a1f62, #f0a3cf)' },
  { tag: [tags.string, tags.regexp, tags.special(tags.string)], color: 'light-dark(#16653a, #8fd6ac)' },
  { tag: [tags.number, tags.atom, tags.literal], color: 'light-dark(#8a5300, #f0c274)' },
  { tag: [tags.comment, tags.meta], color: 'light-dark(#58616f, #9aa4b2)' },
  {
    tag: [tags.definition(tags.variableName), tags.propertyName, tags.attributeName],
    color: 'light-dark(#1f5fa8, #8fc1ff)',
  },
  { tag: [tags.tagName, tags.heading], color: 'light-dark(#3451d1, #93a8ff)', fontWeight: '600' },
  { tag: tags.link, color: 'light-dark(#3451d1, #93a8ff)' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', fontSize: '0.8125rem', color: 'var(--text)', background: 'var(--surface)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-activeLine, .cm-activeLineGutter': { background: 'color-mix(in srgb, var(--accent) 7%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-panels': { background: 'var(--raised)', color: 'var(--text)' },
  '.cm-textfield, .cm-button': {
    background: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line-strong)',
    borderRadius: '0.375rem',
  },
});

/**
 * Shows the text of a field in an editor.
 *
 * @param {HTMLTextAreaElement} field whose value follows what is written
 * @param {{ place: ShadowRoot, label: string, path: string, phrases: Record<string, string> }} options
 * @returns {{ focus(): void, select(from: number, to: number): void, setPath(path: string): void }}
 */
function open(field, { place, label, path, phrases }) {
  const language = new Compartment();
  const view = new EditorView({
    root: place,
    parent: place,
    state: EditorState.create({
      doc: field.value,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSelectionMatches(),
        search({ top: true }),
        indentUnit.of(unitOf(field.value)),
        language.of(languageOf(path)),
        syntaxHighlighting(colours),
        syntaxHighlighting(defaultHighlightStyle, { fallback: true }),
        EditorState.phrases.of(phrases),
        keymap.of([...searchKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocapitalize: 'none' }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          field.value = state.doc.toString();
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }),
        theme,
      ],
    }),
  });
  return {
    focus: () => view.focus(),
    select: (anchor, head) => view.dispatch({ selection: { anchor, head }, scrollIntoView: true }),
    setPath: (changed) => view.dispatch({ effects: language.reconfigure(languageOf(changed)) }),
  };
}

globalThis.gantryEditor = { open };
