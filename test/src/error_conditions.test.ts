import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { type AnyNode, type ClassDeclaration, type Expression, type NewExpression, parse } from 'acorn';
import { ancestor, full } from 'acorn-walk';
import { describe, expect, it } from 'vitest';
import { CONDITIONS } from '#src/platform/errors.ts';
import { packagePath } from '#src/platform/package_root.ts';
import { LONG } from '../support/long.ts';

/** Words of errors about what exists, or about a state, by which one that is made without its condition is found. */
const TELLING = /already (?:exists|been|allowed|shared|assigned|forked|enabled)|is not open|is merged$|in progress$/;

/** Errors with such words that are about something else, with the reason. */
const ELSE: Readonly<Record<string, string>> = {
  'src/domain/repository/releases/save.ts': 'Two links of one input are alike: its values contradict each other.',
};

/** Methods of errors that change their condition. */
const CHANGING = ['as', 'asExisting', 'asWrongState'];

const trees = new Map(
  (readdirSync(packagePath('src'), { recursive: true }) as string[])
    .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
    .map((file) => [`src/${file}`, treeOf(`src/${file}`)]),
);

/** The syntax tree of a module, without its types. */
function treeOf(file: string): AnyNode {
  const code = stripTypeScriptTypes(readFileSync(packagePath(file), 'utf8'));
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module', locations: true });
}

function nodesOf<Type extends AnyNode['type']>(tree: AnyNode, type: Type): Extract<AnyNode, { type: Type }>[] {
  const found: Extract<AnyNode, { type: Type }>[] = [];
  full(tree, (node) => {
    if (node.type === type) found.push(node as Extract<AnyNode, { type: Type }>);
  });
  return found;
}

const classes = new Map<string, ClassDeclaration>();
for (const tree of trees.values()) {
  for (const declared of nodesOf(tree, 'ClassDeclaration'))
    if (declared.id) classes.set(declared.id.name, declared as never);
}

/** Whether a class is of errors of the domain. */
function isOfDomain(name: string): boolean {
  if (name === 'DomainError') return true;
  const above = classes.get(name)?.superClass;
  return above?.type === 'Identifier' && isOfDomain(above.name);
}

/** The conditions that a call names in its first argument: both of a choice. */
function namedIn(given: AnyNode | undefined): string[] {
  if (given?.type === 'Literal') return [String(given.value)];
  if (given?.type === 'ConditionalExpression') return [...namedIn(given.consequent), ...namedIn(given.alternate)];
  return [`not written down: ${given?.type}`];
}

/** The conditions that instances of a class have: those of its own call of `super`, or of the class above. */
function conditionsOf(name: string): string[] {
  const declared = classes.get(name);
  const above = declared?.superClass?.type === 'Identifier' ? declared.superClass.name : '';
  if (!declared || above === '') return [`${name} has none`];
  const calls = nodesOf(declared, 'CallExpression').filter(({ callee }) => callee.type === 'Super');
  if (above === 'DomainError') return calls.flatMap((call) => namedIn(call.arguments[0]));
  return calls.length > 0 && above === 'Conflict'
    ? calls.flatMap((call) => namedIn(call.arguments[0]))
    : conditionsOf(above);
}

const nameOf = ({ callee }: NewExpression) => (callee.type === 'Identifier' ? callee.name : '');

/** The errors that an expression may be: made at the place, or somewhere else in `src`, which is walked, too. */
function madeIn(expression: Expression): NewExpression[] {
  if (expression.type === 'NewExpression') return [expression];
  if (expression.type === 'ConditionalExpression')
    return [...madeIn(expression.consequent), ...madeIn(expression.alternate)];
  if (expression.type === 'LogicalExpression') return [...madeIn(expression.left), ...madeIn(expression.right)];
  if (expression.type !== 'CallExpression' || expression.callee.type !== 'MemberExpression') return [];
  const { object, property } = expression.callee;
  const isChanging = property.type === 'Identifier' && CHANGING.includes(property.name);
  return isChanging && object.type !== 'Super' ? madeIn(object) : [];
}

describe('Every error of the domain', () => {
  it('that is thrown anywhere has a condition of the table', () => {
    const wrong: string[] = [];
    const used = new Set<string>();
    let thrown = 0;
    for (const [file, tree] of trees) {
      for (const { argument } of nodesOf(tree, 'ThrowStatement')) {
        thrown += 1;
        for (const made of madeIn(argument)) {
          const name = nameOf(made);
          if (!isOfDomain(name)) continue;
          const conditions = name === 'DomainError' ? namedIn(made.arguments[0]) : conditionsOf(name);
          if (conditions.length === 0) wrong.push(`${file}: ${name} without a condition`);
          for (const condition of conditions) {
            used.add(condition);
            if (!Object.hasOwn(CONDITIONS, condition)) wrong.push(`${file}: ${name} ${condition}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(thrown).toBeGreaterThan(1_000);
    expect(used.size).toBeGreaterThan(8);
  });

  it(
    'that is made anywhere has a condition of the table, also where a function returns it or `as` changes it',
    LONG,
    () => {
      const wrong: string[] = [];
      for (const [file, tree] of trees) {
        for (const made of nodesOf(tree, 'NewExpression')) {
          const name = nameOf(made);
          if (!isOfDomain(name)) continue;
          const conditions = name === 'DomainError' ? namedIn(made.arguments[0]) : conditionsOf(name);
          const unknown = conditions.filter((condition) => !Object.hasOwn(CONDITIONS, condition));
          if (conditions.length === 0 || unknown.length > 0) wrong.push(`${file}: ${name} ${unknown}`);
        }
        for (const { callee, arguments: given } of nodesOf(tree, 'CallExpression')) {
          if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') continue;
          if (
            callee.property.name !== 'as' ||
            !madeIn(callee.object as Expression).some((made) => isOfDomain(nameOf(made)))
          )
            continue;
          for (const condition of namedIn(given[0]))
            if (!Object.hasOwn(CONDITIONS, condition)) wrong.push(`${file}: as ${condition}`);
        }
      }
      expect(wrong).toEqual([]);
    },
  );

  it('about what exists already, or a state, says so', () => {
    const wrong: string[] = [];
    for (const [file, tree] of trees) {
      if (ELSE[file] !== undefined) continue;
      ancestor(tree, {
        NewExpression(made: NewExpression, _state: unknown, above: AnyNode[]) {
          if (!['BadRequest', 'Forbidden', 'ValidationFailed'].includes(nameOf(made))) return;
          const texts = nodesOf(made, 'Literal').map(({ value }) => String(value));
          const parts = nodesOf(made, 'TemplateElement').map(({ value }) => value.raw);
          const holder = above.at(-2);
          const method =
            holder?.type === 'MemberExpression' && holder.property.type === 'Identifier' && holder.property.name;
          if ([...texts, ...parts].some((text) => TELLING.test(text)) && !CHANGING.includes(String(method)))
            wrong.push(`${file}:${made.loc?.start.line}`);
        },
      });
    }
    expect(wrong).toEqual([]);
  });
});
