/** What a file defines, in a line of it. */
export interface FileSymbol {
  name: string;
  kind: SymbolKind;
  /** From 1. */
  line: number;
  /** How deep it is inside others: 0 for the outermost. */
  depth: number;
}

export type SymbolKind = 'class' | 'function' | 'method' | 'type' | 'module' | 'constant' | 'section';

/** Symbols of one file. */
const MAX_SYMBOLS = 2_000;

/** Characters of a name. */
const MAX_NAME_LENGTH = 200;

/** The first group of an expression is the name. */
type Rule = readonly [pattern: RegExp, kind: SymbolKind];

const MODIFIERS =
  '(?:(?:export|default|declare|abstract|public|private|protected|internal|static|final|sealed|open|override|virtual|inline|async|partial|readonly|data|unsafe|extern|suspend|pub(?:\\([^()]*\\))?)\\s+)*';
const word = (keywords: string, kind: SymbolKind): Rule => [
  new RegExp(`^\\s*${MODIFIERS}(?:${keywords})\\s+([\\w$]+)`),
  kind,
];

const SCRIPT: Rule[] = [
  word('class', 'class'),
  [new RegExp(`^\\s*${MODIFIERS}function\\s*\\*?\\s*([\\w$]+)`), 'function'],
  word('interface|type|enum|const enum', 'type'),
  word('namespace|module', 'module'),
  [
    /^(?:export\s+)?(?:const|let|var)\s+([\w$]+)\s*(?::[^=]*)?=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*(?::[^=]*)?=>|[\w$]+\s*=>)/,
    'function',
  ],
  [/^[\w$.]+\s*=\s*(?:async\s+)?function\s*\*?\s*([\w$]+)/, 'function'],
  [/^(?:[\w$]+\.)+([\w$]+)\s*=\s*(?:async\s*)?(?:function\b|\([^()]*\)\s*=>|[\w$]+\s*=>)/, 'function'],
  [/^export\s+(?:const|let|var)\s+([\w$]+)/, 'constant'],
  [
    /^\s+(?:(?:public|private|protected|static|async|override|readonly|get|set)\s+)*\*?(#?[\w$]+)\s*(?:<[^<>()]*>)?\([^()]*\)[^;=()]*\{\s*$/,
    'method',
  ],
];

const BRACES: Rule[] = [
  word('class|record|object|actor', 'class'),
  word('interface|enum|enum class|struct|union|trait|protocol|extension|typealias|typedef', 'type'),
  word('namespace|package|module', 'module'),
  word('fun|func|function|def', 'function'),
  [/^\s*#\s*define\s+(\w+)/, 'constant'],
  [/^(?:\w[\w<>,.:[\]?]*[ \t*&]+){1,8}([\w~]+(?:::[\w~]+)?)\s*\([^;=]*$/, 'function'],
  [/^\s+(?:[\w@][\w<>,.:[\]?]*[ \t*&]+){1,8}([\w~]+)\s*\([^;=]*$/, 'method'],
];

const RULES: Readonly<Record<string, readonly Rule[]>> = {
  script: SCRIPT,
  braces: BRACES,
  python: [
    word('class', 'class'),
    [/^(?:async\s+)?def\s+(\w+)/, 'function'],
    [/^\s+(?:async\s+)?def\s+(\w+)/, 'method'],
  ],
  ruby: [
    word('class', 'class'),
    word('module', 'module'),
    [/^def\s+((?:self\.)?[\w?!=]+)/, 'function'],
    [/^\s+def\s+((?:self\.)?[\w?!=]+)/, 'method'],
  ],
  go: [
    [/^func\s+\([^()]*\)\s*(\w+)/, 'method'],
    [/^func\s+(\w+)/, 'function'],
    [/^type\s+(\w+)/, 'type'],
  ],
  rust: [
    word('mod', 'module'),
    word('struct|enum|trait|type|union', 'type'),
    [/^\s*impl(?:<[^<>]*>)?\s+([\w:<>,]+(?: (?!where\b)[\w:<>,]+)*)/, 'class'],
    [new RegExp(`^${MODIFIERS}(?:const\\s+)?fn\\s+(\\w+)`), 'function'],
    [new RegExp(`^\\s+${MODIFIERS}(?:const\\s+)?fn\\s+(\\w+)`), 'method'],
    [/^\s*macro_rules!\s*(\w+)/, 'function'],
  ],
  shell: [[/^\s*(?:function\s+)?([\w:-]+)\s*\(\)/, 'function'], word('function', 'function')],
  lua: [[/^\s*(?:local\s+)?function\s+([\w.:]+)/, 'function']],
  perl: [
    [/^\s*package\s+([\w:]+)/, 'module'],
    [/^\s*sub\s+(\w+)/, 'function'],
  ],
  elixir: [
    [/^\s*defmodule\s+([\w.]+)/, 'module'],
    [/^\s*(?:def|defp|defmacro)\s+([\w?!]+)/, 'function'],
  ],
  haskell: [
    [/^(?:data|newtype|type|class)\s+(\w+)/, 'type'],
    [/^([a-z_][\w']*)\s*::/, 'function'],
  ],
  powershell: [[/^\s*(?:function|filter)\s+([\w:-]+)/i, 'function'], word('class', 'class')],
  sql: [
    [
      /^\s*create\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|unlogged\s+|materialized\s+)?(?:table|view|type)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i,
      'type',
    ],
    [
      /^\s*create\s+(?:or\s+replace\s+)?(?:function|procedure|trigger)\s+(?:if\s+not\s+exists\s+)?([\w."]+)/i,
      'function',
    ],
  ],
  protobuf: [
    [/^\s*(?:message|enum)\s+(\w+)/, 'type'],
    [/^\s*service\s+(\w+)/, 'class'],
    [/^\s*rpc\s+(\w+)/, 'method'],
  ],
  graphql: [
    [/^\s*(?:extend\s+)?(?:type|interface|input|enum|union|scalar)\s+(\w+)/, 'type'],
    [/^\s*(?:query|mutation|subscription|fragment)\s+(\w+)/, 'function'],
  ],
  markdown: [[/^#{1,6}\s+(.*?)\s*#*$/, 'section']],
  ini: [[/^\s*\[+([^[\]]+)\]+/, 'section']],
  yaml: [[/^([\w.-]+):/, 'section']],
  makefile: [[/^([\w.%/-]+)\s*:(?!=)/, 'function']],
};

/** Which rules are those of a language, as highlight.js names it. */
const LANGUAGES: Readonly<Record<string, string>> = {
  ...{ javascript: 'script', typescript: 'script' },
  ...Object.fromEntries(
    ['java', 'kotlin', 'csharp', 'c', 'cpp', 'objectivec', 'php', 'swift', 'scala', 'groovy', 'dart'].map((name) => [
      name,
      'braces',
    ]),
  ),
  ...{ bash: 'shell', toml: 'ini' },
  ...Object.fromEntries(Object.keys(RULES).map((name) => [name, name])),
};

/** Words that calls and blocks begin with, which are no names. */
const NO_NAMES = new Set(
  'if for while switch catch return else do try new throw case sizeof function using lock synchronized when match foreach elseif typeof await yield assert defined'.split(
    ' ',
  ),
);

/** Parts of highlighted lines that define nothing. */
const LEFT_OUT = /^hljs-(?:comment|string|code|doctag|regexp)\b/;

/**
 * What a file defines: functions, classes, headings and the like, as far as lines tell it by themselves. Comments and texts are known by
 * their colours and left out.
 *
 * @param lines as HTML: those of all the file
 * @param language as highlight.js names it
 */
export function symbolsIn(lines: readonly string[], language: string): FileSymbol[] {
  const rules = RULES[LANGUAGES[language] ?? ''];
  if (!rules) return [];
  const found: FileSymbol[] = [];
  /** How far the symbols around the next one are indented. */
  const around: number[] = [];
  for (const [at, html] of lines.entries()) {
    const text = withoutTexts(html);
    const [name, kind] = definedIn(text, rules);
    if (name === undefined || kind === undefined) continue;
    const indent = language === 'markdown' ? text.indexOf(' ') : text.length - text.trimStart().length;
    while (around.length > 0 && (around.at(-1) ?? 0) >= indent) around.pop();
    found.push({ name: name.slice(0, MAX_NAME_LENGTH), kind, line: at + 1, depth: around.length });
    around.push(indent);
    if (found.length === MAX_SYMBOLS) break;
  }
  return found;
}

function definedIn(text: string, rules: readonly Rule[]): [name?: string, kind?: SymbolKind] {
  for (const [pattern, kind] of rules) {
    const name = pattern.exec(text)?.[1]?.trim();
    if (name && !NO_NAMES.has(name)) return [name, kind];
  }
  return [];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" };

/** The text of a highlighted line, without its comments and strings. */
function withoutTexts(html: string): string {
  if (!html.includes('<')) return decoded(html);
  const open: boolean[] = [];
  let text = '';
  for (const [part, tag] of html.matchAll(/<span class="([^"]*)">|<\/span>|[^<]+/g)) {
    if (tag !== undefined) open.push(LEFT_OUT.test(tag) || open.at(-1) === true);
    else if (part === '</span>') open.pop();
    else if (open.at(-1) !== true) text += part;
  }
  return decoded(text);
}

function decoded(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#x27);/g, (written, name: string) => ENTITIES[name] ?? written);
}
