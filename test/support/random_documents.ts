import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Numbers from 0 to 1 that follow from the seed alone (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Values by the name of an argument or field of an input, else of its type; GraphQL literals. Without any it is left out. */
export type Values = Readonly<Record<string, readonly string[]>>;

/**
 * A query over whatever a schema has, with aliases, fragments and conditions on `$yes` and `$no`. The same seed makes the same
 * document.
 *
 * @param often fields of the query that are chosen more often than others
 */
export function randomQuery(
  schema: GraphQLSchema,
  values: Values,
  seed: number,
  often: readonly string[] = [],
): string {
  const random = randomFrom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const fragments: string[] = [];
  const query = schema.getQueryType() as GraphQLObjectType;
  const all = Object.values(query.getFields());
  const rich = all.filter(({ name }) => often.includes(name));
  // One of them that fails takes the rest of the answer along.
  const root = Array.from({ length: random() < 0.3 ? 2 : 1 }, (_, index) =>
    field(pick(random() < 0.7 && rich.length > 0 ? rich : all), 4, `r${index}`),
  );
  const body = root.filter((text) => text !== null).join(' ');
  return `query Random($yes: Boolean!, $no: Boolean!, $two: Int!) { __typename ${body} } ${fragments.join(' ')}`;

  function field(one: GraphQLField<unknown, unknown>, depth: number, alias?: string): string | null {
    const named = getNamedType(one.type);
    const args = argumentsOf(one.args);
    if (args === null) return null;
    const head = `${alias ? `${alias}: ` : ''}${one.name}${args}${condition()}`;
    if (isLeafType(named)) return head;
    if (depth === 0 || !(isObjectType(named) || isInterfaceType(named))) return null;
    return `${head} { ${selection(named as GraphQLObjectType, depth - 1)} }`;
  }

  function selection(type: GraphQLObjectType, depth: number): string {
    const wanted = Object.values(type.getFields()).filter(() => random() < (depth > 1 ? 0.5 : 0.4));
    const texts = wanted.flatMap(
      (one) => field(one, depth, random() < 0.1 ? `a${Math.floor(random() * 1e6)}` : undefined) ?? [],
    );
    const [first, ...others] = ['__typename', ...texts];
    if (random() < 0.2) return `${first} ... on ${type.name}${condition()} { ${['__typename', ...others].join(' ')} }`;
    if (random() < 0.2) {
      const name = `F${fragments.length}`;
      fragments.push(`fragment ${name} on ${type.name} { ${['__typename', ...others].join(' ')} }`);
      return `${first} ...${name}${condition()}`;
    }
    return texts.length > 0 && random() < 0.5 ? texts.join(' ') : [first, ...others].join(' ');
  }

  function condition(): string {
    const chance = random();
    if (chance < 0.04) return ' @include(if: $no)';
    if (chance < 0.08) return ' @skip(if: $no) @include(if: $yes)';
    return chance < 0.1 ? ' @skip(if: true)' : '';
  }

  function argumentsOf(args: readonly GraphQLArgument[]): string | null {
    const given: string[] = [];
    for (const { name, type, defaultValue } of args) {
      const isNeeded = isNonNullType(type) && defaultValue === undefined;
      if (!isNeeded && random() < 0.6) continue;
      const value = literalOf(name, type, 2);
      if (value === null && isNeeded) return null;
      if (value !== null) given.push(`${name}: ${value}`);
    }
    return given.length > 0 ? `(${given.join(', ')})` : '';
  }

  function literalOf(name: string, type: GraphQLInputType, depth: number): string | null {
    const nullable = getNullableType(type);
    const known = values[name] ?? values[String(nullable)];
    if (known) return known.length > 0 ? pick(known) : null;
    if (isListType(nullable)) {
      const item = literalOf(name, nullable.ofType, depth);
      return item === null ? null : `[${item}]`;
    }
    if (isEnumType(nullable)) return pick(nullable.getValues()).name;
    if (!isInputObjectType(nullable) || depth === 0) return null;
    const fields = Object.values(nullable.getFields()).flatMap((one) => {
      const value = literalOf(one.name, one.type, depth - 1);
      return value === null ? [] : [`${one.name}: ${value}`];
    });
    return `{ ${fields.join(', ')} }`;
  }
}
