import type { SearchTerm } from '#src/git/base/search.ts';
import { BadRequest } from '#src/platform/errors.ts';

/** Words of programming languages before the name of what they define. */
const KEYWORDS = [
  ...['class', 'interface', 'enum', 'struct', 'trait', 'union', 'record', 'protocol', 'object', 'actor'],
  ...['type', 'typedef', 'newtype', 'data', 'namespace', 'module', 'package', 'defmodule', 'impl', 'extension'],
  ...['function', 'function\\*', 'func', 'fun', 'fn', 'def', 'defp', 'sub', 'proc', 'procedure', 'macro'],
  ...['const', 'let', 'var', 'val', 'message', 'service', 'rpc', 'table', 'view'],
];

/** A blank: a tab in brackets is written as it is, as not all regular expressions know an escape for it. */
const BLANK = '[ \t]';
const NO_LETTER = '[^A-Za-z0-9_]';

/** Characters of the longest name that is looked for. */
const MAX_NAME_LENGTH = 100;

/**
 * The lines that define something with a name, as far as they tell by themselves: by a word such as `class` or `def` before it, or as
 * functions and methods of languages with braces. `*` stands for any letters. The expression is one of PostgreSQL, of POSIX and of
 * JavaScript, and takes time in proportion to the line. Throws BadRequest for what is no name.
 */
export function definitionOf(name: string): SearchTerm {
  const parts = name.split('*');
  const longest = parts.reduce((one, other) => (other.length > one.length ? other : one));
  if (name.length > MAX_NAME_LENGTH || longest === '' || !parts.every((part) => /^[\p{L}\p{N}_$?!-]*$/u.test(part))) {
    throw new BadRequest('search has a symbol that is no name', 'search');
  }
  const wanted = parts.map((part) => part.replace(/[$?]/g, '\\$&')).join('[A-Za-z0-9_]*');
  const before = `(^|${NO_LETTER})(${KEYWORDS.join('|')})${BLANK}+([A-Za-z0-9_]+[.])?(\\([^()]*\\)${BLANK}*)?${wanted}($|${NO_LETTER})`;
  const words = `([A-Za-z_][A-Za-z0-9_<>,:.]*${BLANK}+[*&]*){0,6}`;
  const method = `^${BLANK}*${words}[#]?${wanted}${BLANK}*\\([^()'"]*\\)[^;()=]*\\{`;
  return { kind: 'regex', value: `(${before}|${method})`, literal: longest };
}
