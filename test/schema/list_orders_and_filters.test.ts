// Takes long: the long run has it.
// @module-tag long
import { type GraphQLObjectType, getNamedType, isEnumType, isInputObjectType, isObjectType, parse } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { ListOrder } from '#schema/connection.ts';
import { schema } from '#schema/index.ts';
import { asked, executing, type Field, startSample, type Way, waysTo } from '../support/sample.ts';

const { world, whoIs } = await startSample();
const administrator = await whoIs('root');
const execute = executing(world);

/** A list of the sample data, and how a document comes to it. */
interface List {
  place: string;
  type: GraphQLObjectType;
  field: Field;
  way: Way;
}

interface Connection {
  totalCount: number;
  edges: { cursor: string; node: { id?: string } }[];
}

let lists: List[] = [];

beforeAll(async () => {
  const ways = await waysTo((document) => execute(document, administrator));
  lists = [...ways].flatMap(([name, way]) => {
    const type = schema.getType(name);
    if (!isObjectType(type)) return [];
    return Object.values(type.getFields())
      .filter((field) => getNamedType(field.type).name.endsWith('Connection'))
      .map((field) => ({ place: `${name}.${field.name}`, type, field, way }));
  });
}, 300_000);

/** The list with these arguments beside those that it needs. */
async function ask({ place, type, field, way }: List, args: string): Promise<Connection> {
  const connection = getNamedType(field.type) as GraphQLObjectType;
  const node = getNamedType(connection.getFields().nodes?.type) as GraphQLObjectType;
  const id = isObjectType(node) && node.getFields().id ? 'id' : '__typename';
  const plain = asked(type, field, `totalCount edges { cursor node { ${id} } }`);
  const bare = plain.slice(field.name.length);
  const own = bare.startsWith('(') ? bare.slice(1, bare.indexOf(')')) : '';
  const rest = own === '' ? bare : bare.slice(bare.indexOf(')') + 1);
  const given = [...(own === '' ? [] : [own]), args].join(', ');
  const { data, errors } = await execute(parse(way(`list: ${field.name}(${given})${rest}`)), administrator);
  expect(errors, `${place}(${given})`).toBeUndefined();
  const found = listIn(data);
  if (!found) throw new Error(`${place} is not there`);
  return found;
}

function listIn(value: unknown): Connection | null {
  if (typeof value !== 'object' || value === null) return null;
  if ('list' in value) return value.list as Connection;
  for (const one of Object.values(value)) {
    const found = listIn(one);
    if (found) return found;
  }
  return null;
}

const idsOf = ({ edges }: Connection) => edges.map(({ cursor, node }) => node.id ?? cursor);

/** The orders that a list offers by `listOrder`, and whether records without a value are last in either direction. */
function ordersOf({ field }: List): { name: string; areLast: boolean }[] {
  const type = getNamedType(field.args.find(({ name }) => name === 'orderBy')?.type);
  if (!isEnumType(type)) return [];
  return type
    .getValues()
    .flatMap(({ name, value }) => (value instanceof ListOrder ? [{ name, areLast: value.nulls === 'last' }] : []));
}

describe('Lists with an order', () => {
  it('are the other way round in the other direction, and go on behind a cursor', { timeout: 300_000 }, async () => {
    let compared = 0;
    const wrong: string[] = [];
    for (const list of lists) {
      for (const { name, areLast } of ordersOf(list)) {
        const upwards = await ask(list, `orderBy: ${name}, sort: ASC, first: 100`);
        const downwards = await ask(list, `orderBy: ${name}, sort: DESC, first: 100`);
        if (upwards.totalCount > 100) continue;
        const [one, other] = [idsOf(upwards).reverse(), idsOf(downwards)];
        // Those without a value are at the end both times.
        if (areLast ? one.sort().join() !== other.sort().join() : one.join() !== other.join())
          wrong.push(`${list.place} by ${name}`);
        const [first] = downwards.edges;
        if (!first || upwards.totalCount < 2) continue;
        compared += 1;
        const behind = await ask(list, `orderBy: ${name}, sort: DESC, first: 1, after: "${first.cursor}"`);
        if (idsOf(behind)[0] !== idsOf(downwards)[1]) wrong.push(`${list.place} by ${name} behind a cursor`);
      }
    }
    expect(wrong).toEqual([]);
    expect(compared).toBeGreaterThan(20);
  });
});

/** For each kind of condition two that no record meets both of, and together have all; or one that none meets. */
const DECOYS: Readonly<Record<string, { none: string } | { halves: [string, string] }>> = {
  String: { none: '"there is nothing like it"' },
  Boolean: { halves: ['true', 'false'] },
  ID: { none: '"2147483647"' },
};

describe('Lists with a filter', () => {
  it('have what meets it and nothing else, in their totals too', { timeout: 300_000 }, async () => {
    let narrowed = 0;
    const wrong: string[] = [];
    for (const list of lists) {
      const filter = getNamedType(list.field.args.find(({ name }) => name === 'filter')?.type);
      if (!isInputObjectType(filter) || ordersOf(list).length === 0) continue;
      const all = (await ask(list, 'first: 100')).totalCount;
      const count = async (condition: string) => {
        const { totalCount, edges } = await ask(list, `first: 100, filter: { ${condition} }`);
        expect(edges.length, `${list.place} ${condition}`).toBe(Math.min(totalCount, 100));
        return totalCount;
      };
      if (all > 0) narrowed += 1;
      for (const { name, type } of Object.values(filter.getFields())) {
        const decoy = DECOYS[getNamedType(type).name];
        const place = `${list.place} ${name}`;
        if (name === 'createdAfter' && (await count('createdAfter: "9000-01-01"')) !== 0) wrong.push(place);
        if (name === 'createdAfter' && (await count('createdAfter: "1000-01-01"')) !== all) wrong.push(place);
        if (name === 'createdBefore' && (await count('createdBefore: "1000-01-01"')) !== 0) wrong.push(place);
        if (!decoy) continue;
        if ('none' in decoy && (await count(`${name}: ${decoy.none}`)) !== 0) wrong.push(place);
        if ('halves' in decoy) {
          const [yes, no] = [await count(`${name}: ${decoy.halves[0]}`), await count(`${name}: ${decoy.halves[1]}`)];
          if (yes + no !== all) wrong.push(place);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(narrowed).toBeGreaterThan(20);
  });
});
