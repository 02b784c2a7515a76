import {
  type GraphQLEnumType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '#schema/index.ts';

type Described = [place: string, description: string];

/** All that can be read: types, fields, their arguments and the values of enums, with what is said of each. */
function readable(): Described[] {
  const query = schema.getQueryType() as GraphQLObjectType;
  const seen = new Set<string>();
  const found: Described[] = [];
  const visit = (type: unknown) => {
    if (!(isObjectType(type) || isInterfaceType(type) || isUnionType(type) || isEnumType(type))) return;
    if (seen.has(type.name)) return;
    seen.add(type.name);
    found.push([type.name, type.description ?? '']);
    if (isEnumType(type)) return found.push(...valuesOf(type));
    if (isUnionType(type)) return type.getTypes().forEach(visit);
    if (isInterfaceType(type)) schema.getPossibleTypes(type).forEach(visit);
    found.push(...fieldsOf(type));
    for (const { type: below, args } of Object.values(type.getFields())) {
      visit(getNamedType(below));
      for (const arg of args) visit(getNamedType(arg.type));
    }
  };
  visit(query);
  return found;
}

function valuesOf(type: GraphQLEnumType): Described[] {
  return type.getValues().map(({ name, description }) => [`${type.name}.${name}`, description ?? '']);
}

function fieldsOf(type: GraphQLObjectType | GraphQLInterfaceType): Described[] {
  return Object.values(type.getFields()).flatMap(({ name, description, args }) => [
    [`${type.name}.${name}`, description ?? ''] as Described,
    ...args.map((arg): Described => [`${type.name}.${name}(${arg.name}:)`, arg.description ?? '']),
  ]);
}

/** Words that say nothing by themselves. */
const EMPTY = new Set(
  'a an the of its it is to in on at by for and or this that one all as with from which'.split(' '),
);

const words = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];

const stem = (word: string) => word.replace(/(ies|es|s|ed)$/, '');

const everything = readable();

describe('What can be read is described', () => {
  it('as a whole', () => {
    expect(everything.length).toBeGreaterThan(900);
    for (const name of ['Project', 'SearchResult', 'JobStatus.MANUAL', 'Query.nodes(ids:)']) {
      expect(everything.map(([place]) => place)).toContain(name);
    }
  });

  it('in a sentence of at least four words', () => {
    const short = everything.filter(([, text]) => words(text).length < 4 || !/^[A-Z0-9`].*[.)]$/s.test(text));
    expect(short).toEqual([]);
  });

  it('by more than its own name', () => {
    const repeats = everything.filter(([place, text]) => {
      const own = new Set(words(place).map(stem));
      return words(text).every((word) => EMPTY.has(word) || own.has(stem(word)));
    });
    expect(repeats).toEqual([]);
  });

  it('in English that names what it speaks of', () => {
    const odd = everything.filter(([, text]) =>
      /\bA [AEIOU][a-z]|\ba [aeio][a-z]|^(Whose|Where|Who|When|How many|Of what)\b[^.]{0,12}\.$/.test(text),
    );
    expect(odd).toEqual([]);
  });
});
