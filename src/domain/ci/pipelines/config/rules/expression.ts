import { CONDITION, type PatternMatcher } from '#src/domain/ci/pipelines/config/base/pattern.ts';
import { InvalidConfig } from '#src/domain/ci/pipelines/config/base/types.ts';

/**
 * The condition of a rule. Terms are variables, texts, patterns between slashes, and null; two of them can be compared, and conditions
 * joined by `&&`, which binds more strongly, and `||`.
 */
export type Expression =
  | { kind: 'variable'; name: string }
  | { kind: 'text'; text: string }
  | { kind: 'pattern'; pattern: string }
  | { kind: 'null' }
  | { kind: 'boolean'; value: boolean }
  | { kind: Operator; left: Expression; right: Expression };

type Operator = '==' | '!=' | '=~' | '!~' | '&&' | '||';
type Token = { type: 'term'; term: Expression } | { type: 'operator'; operator: Operator } | { type: '(' | ')' };

/** Characters and tokens of the longest expression. */
const MAX_EXPRESSION_LENGTH = 10_000;
const MAX_TOKENS = 100;

const TOKEN =
  /\s*(?:(?<variable>\$\w+)|"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<pattern>\/(?:\\.|[^/\\\n])(?:\\.|[^/\\\n])+\/[ismU]*)|(?<word>null|true|false)\b|(?<operator>==|!=|=~|!~|&&|\|\|)|(?<bracket>[()]))/sy;

/** Reads an expression; null if it is invalid. */
export function readExpression(text: string): Expression | null {
  const tokens = text.length > MAX_EXPRESSION_LENGTH ? null : tokensOf(text);
  if (!tokens || tokens.length === 0 || tokens.length > MAX_TOKENS) return null;
  const reader = new Reader(tokens);
  const found = reader.either();
  return reader.isAtEnd ? found : null;
}

function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  for (let at = 0; at < end; at = TOKEN.lastIndex) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    const { variable, double, single, pattern, word, operator, bracket } = match.groups ?? {};
    const quoted = double ?? single;
    if (operator) tokens.push({ type: 'operator', operator: operator as Operator });
    else if (bracket) tokens.push({ type: bracket as '(' | ')' });
    else tokens.push({ type: 'term', term: termOf({ variable, quoted, pattern, word }) });
  }
  return tokens;
}

function termOf(found: Record<'variable' | 'quoted' | 'pattern' | 'word', string | undefined>): Expression {
  const { variable, quoted, pattern, word } = found;
  if (variable !== undefined) return { kind: 'variable', name: variable.slice(1) };
  if (quoted !== undefined) return { kind: 'text', text: quoted };
  if (pattern !== undefined) return { kind: 'pattern', pattern };
  return word === 'null' ? { kind: 'null' } : { kind: 'boolean', value: word === 'true' };
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  either(): Expression | null {
    return this.#joined('||', () => this.#joined('&&', () => this.#comparison()));
  }

  #joined(operator: '&&' | '||', read: () => Expression | null): Expression | null {
    let left = read();
    while (left && this.#operator(operator)) {
      const right = read();
      if (!right) return null;
      left = { kind: operator, left, right };
    }
    return left;
  }

  #comparison(): Expression | null {
    const left = this.#term();
    const operator = left && this.#operator('==', '!=', '=~', '!~');
    if (!operator) return left;
    const right = this.#term();
    return right && { kind: operator, left, right };
  }

  #term(): Expression | null {
    const token = this.#tokens[this.#at];
    if (token?.type === 'term') {
      this.#at++;
      return token.term;
    }
    if (token?.type !== '(') return null;
    this.#at++;
    const inner = this.either();
    if (!inner || this.#tokens[this.#at]?.type !== ')') return null;
    this.#at++;
    return inner;
  }

  #operator<Kind extends Operator>(...wanted: Kind[]): Kind | null {
    const token = this.#tokens[this.#at];
    const found = token?.type === 'operator' ? wanted.find((one) => one === token.operator) : undefined;
    if (found) this.#at++;
    return found ?? null;
  }
}

/** The value of a variable; undefined if it is not set. */
type LookUp = (name: string) => string | undefined;

/** Whether an expression holds. Throws InvalidConfig if its patterns take too long. */
export function holds(expression: Expression, variables: LookUp, matcher: PatternMatcher): boolean {
  return isTrue(evaluate(expression, variables, matcher));
}

/** The names of the variables in an expression. */
export function variablesIn(expression: Expression): string[] {
  if (expression.kind === 'variable') return [expression.name];
  return 'left' in expression ? [...variablesIn(expression.left), ...variablesIn(expression.right)] : [];
}

type Value = string | boolean | null;

/** Unset variables and empty texts do not hold. */
function isTrue(value: Value): boolean {
  return value === true || (typeof value === 'string' && value !== '');
}

function evaluate(expression: Expression, variables: LookUp, matcher: PatternMatcher): Value {
  switch (expression.kind) {
    case 'variable':
      return variables(expression.name) ?? null;
    case 'text':
      return expression.text;
    case 'pattern':
      return expression.pattern;
    case 'null':
      return null;
    case 'boolean':
      return expression.value;
    case '&&':
    case '||': {
      const left = isTrue(evaluate(expression.left, variables, matcher));
      if (left === (expression.kind === '||')) return left;
      return isTrue(evaluate(expression.right, variables, matcher));
    }
    case '==':
    case '!=': {
      const [left, right] = [expression.left, expression.right].map((one) => evaluate(one, variables, matcher));
      return (comparable(left) === comparable(right)) === (expression.kind === '==');
    }
    default:
      return matches(expression.left, expression.right, variables, matcher) === (expression.kind === '=~');
  }
}

/** Truth values equal the words for them. */
function comparable(value: Value | undefined): string | null {
  return value == null ? null : String(value);
}

function matches(left: Expression, right: Expression, variables: LookUp, matcher: PatternMatcher): boolean {
  const pattern = comparable(evaluate(right, variables, matcher));
  if (pattern === null) return false;
  const text = comparable(evaluate(left, variables, matcher)) ?? '';
  return CONDITION.test(pattern) ? matcher.matchesCondition(pattern, text) : pattern.includes(text);
}

/** An expression of the file. Throws InvalidConfig. */
export function requireExpression(value: unknown, where: string): Expression {
  const found = typeof value === 'string' ? readExpression(value) : null;
  if (!found) throw new InvalidConfig(`${where} invalid expression syntax`);
  return found;
}
