/** Bytes of the largest file of rules, and rules of one site. */
export const MAX_RULES_BYTES = 64 * 1024;
const MAX_RULES = 1_000;
/** Parts of the longest path of a rule. */
const MAX_SEGMENTS = 25;
/** Characters of the longest address that a rule leads to, with what its placeholders stand for. */
const MAX_TARGET_LENGTH = 2_048;

const STATUSES = [200, 301, 302, 303, 307, 308] as const;

/** A rule of `_redirects`. Paths are compared part by part, so each request takes one look at each rule at most. */
interface Rule {
  /** Parts of the path; a placeholder begins with `:`. */
  from: readonly string[];
  /** Whether any parts may follow. */
  hasSplat: boolean;
  to: string;
  status: (typeof STATUSES)[number];
}

/** What a rule makes of a path: an address to redirect to, or with 200 the path to serve in its place. */
export interface Redirection {
  to: string;
  status: (typeof STATUSES)[number];
}

/** Reads the rules of a site. Lines that are no rules, or use what is not supported, have no effect. */
export function parseRules(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const line of text.split('\n')) {
    const rule = parseRule(line);
    if (rule) rules.push(rule);
    if (rules.length === MAX_RULES) break;
  }
  return rules;
}

function parseRule(line: string): Rule | null {
  const [from = '', to = '', given = '301', ...others] = line.trim().split(/[ \t]+/);
  const status = STATUSES.find((one) => String(one) === given);
  const isPath = (text: string) => text.startsWith('/') && !/^\/[/\\]/.test(text);
  if (!isPath(from) || status === undefined || to.length > MAX_TARGET_LENGTH) return null;
  if (others.length > 0 && !others[0]?.startsWith('#')) return null;
  if (!isPath(to) && (status === 200 || !isWebAddress(to))) return null;
  const segments = segmentsOf(from);
  const hasSplat = segments.at(-1) === '*';
  const parts = hasSplat ? segments.slice(0, -1) : segments;
  if (parts.length > MAX_SEGMENTS || parts.some((part) => part.includes('*'))) return null;
  return { from: parts, hasSplat, to, status };
}

/** An address of another site, whose host is written out. */
function isWebAddress(text: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^/?#\\]+)(?:[/?#]|$)/i.exec(text) ?? [];
  return authority !== '' && !PLACEHOLDER.test(authority) && !authority.includes('@') && URL.canParse(text);
}

const PLACEHOLDER = /:[a-z_]\w*/i;
const PLACEHOLDERS = /:([a-z_]\w*)/gi;

/** What the first rule says that fits a path; null if none does. Paths are as they stand in addresses, encoded. */
export function redirectionOf(rules: readonly Rule[], path: string): Redirection | null {
  const parts = segmentsOf(path);
  for (const rule of rules) {
    const values = match(rule, parts);
    if (!values) continue;
    const to = targetOf(rule.to, values);
    if (to !== null && to !== path) return { to, status: rule.status };
  }
  return null;
}

function match({ from, hasSplat }: Rule, parts: readonly string[]): Map<string, string> | null {
  if (hasSplat ? parts.length < from.length : parts.length !== from.length) return null;
  const values = new Map<string, string>();
  for (const [at, wanted] of from.entries()) {
    const part = parts[at] ?? '';
    if (wanted.length > 1 && wanted.startsWith(':')) values.set(wanted.slice(1), part);
    else if (wanted !== part) return null;
  }
  if (hasSplat) values.set('splat', parts.slice(from.length).join('/'));
  return values;
}

/** Never an address of another host than the one that is written in the rule. */
function targetOf(to: string, values: ReadonlyMap<string, string>): string | null {
  const made = to.replace(PLACEHOLDERS, (whole, name: string) => values.get(name) ?? whole);
  if (made.length > MAX_TARGET_LENGTH) return null;
  return to.startsWith('/') ? made.replace(/^[/\\]+/, '/') : made;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}
