import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '#schema/index.ts';
import { OWNER_REF } from '#schema/places/owner_ref.ts';

const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter(
  (type): type is GraphQLObjectType => isObjectType(type) && type !== schema.getSubscriptionType(),
);
const fields = objects.flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));
const isNode = (type: GraphQLNamedType) =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');

/** All types of an interface have its field under one type, which was released. */
const isOfWebPage = (type: GraphQLObjectType, field: string) =>
  field === 'webUrl' && type.getInterfaces().some(({ name }) => name === 'WebPage');

const lists = fields.filter(({ field }) => getNamedType(field.type).name.endsWith('Connection'));
/** The types that connections have records of, those of a union or interface by themselves. */
const listed = new Map(
  objects
    .filter(({ name }) => name.endsWith('Edge'))
    .flatMap((edge) => {
      const field = edge.getFields().node;
      if (!field) return [];
      const node = getNamedType(field.type);
      const possible = isUnionType(node) || isInterfaceType(node) ? schema.getPossibleTypes(node) : [node];
      return possible.map((type) => [type.name, type as GraphQLObjectType] as const);
    }),
);

/** What clients stumble over: how often it is there, which may only get less. Whoever mends one lowers the number. */
const RATCHETS: Record<string, { most: number; found: () => string[] }> = {
  'records of lists without an id': {
    most: 34,
    found: () => [...listed.values()].filter((type) => !('id' in type.getFields())).map(({ name }) => name),
  },
  'types with an id that are no Node': {
    most: 4,
    found: () => objects.filter((type) => type.getFields().id && !isNode(type)).map(({ name }) => name),
  },
  'numeric IDs of other records without the record beside them': {
    most: 17,
    found: () =>
      fields.flatMap(({ type, field }) => {
        const name = /^(\w+)Id$/.exec(field.name)?.[1];
        const isNumber = name && getNamedType(field.type).name === 'Int' && name !== 'database';
        return isNumber && !type.getFields()[name] ? `${type.name}.${field.name}` : [];
      }),
  },
  'lists that have no order': {
    most: 56,
    found: () =>
      lists
        .filter(({ field }) => !field.args.some(({ name }) => /^(?:orderBy|sort|order)$/.test(name)))
        .map(({ type, field }) => `${type.name}.${field.name}`),
  },
  'lists that have no filter': {
    most: 94,
    found: () =>
      lists
        .filter(({ field }) => !field.args.some(({ name }) => name === 'filter'))
        .map(({ type, field }) => `${type.name}.${field.name}`),
  },
  // Those that share, unshare and transfer a project take both: a project and a group.
  'inputs that take a project or a group and have no @oneOf for it': {
    most: 3,
    found: () =>
      types.filter(isInputObjectType).flatMap((type) => {
        const { project, group, owner } = type.getFields();
        const takesOwner = owner && getNamedType(owner.type).name === OWNER_REF;
        return project && group && !type.isOneOf && !takesOwner ? type.name : [];
      }),
  },
  'inputs and arguments without a description': {
    most: 0,
    found: () => [
      ...fields.flatMap(({ type, field }) =>
        field.args.filter(({ description }) => !description).map(({ name }) => `${type.name}.${field.name}(${name}:)`),
      ),
      ...types.filter(isInputObjectType).flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ],
  },
  'types, fields and values without a description': {
    most: 0,
    found: () => [
      ...types.filter(({ description }) => !description).map(({ name }) => name),
      ...fields.filter(({ field }) => !field.description).map(({ type, field }) => `${type.name}.${field.name}`),
      ...types.filter(isEnumType).flatMap((type) =>
        type
          .getValues()
          .filter(({ description }) => !description)
          .map(({ name }) => `${type.name}.${name}`),
      ),
    ],
  },
  'texts that are addresses': {
    most: 38,
    found: () =>
      fields.flatMap(({ type, field }) =>
        /Url$/.test(field.name) && getNamedType(field.type).name === 'String' && !isOfWebPage(type, field.name)
          ? `${type.name}.${field.name}`
          : [],
      ),
  },
};

it.each(Object.entries(RATCHETS))('%s get fewer', (name, { most, found }) => {
  const all = found();
  expect(all.length, `${name}: ${all.join(' ')}`).toBeLessThanOrEqual(most);
});

it('There are no fewer Nodes', () => {
  expect(objects.filter(isNode).length).toBeGreaterThanOrEqual(41);
});
