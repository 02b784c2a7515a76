import { type FieldNode, Kind, print, type ValueNode } from 'graphql';

/** The arguments of a field as text: the same for the same arguments, in whatever order they and the fields of objects are written. */
export function argumentsKey({ arguments: given = [] }: FieldNode): string {
  if (given.length === 0) return '';
  const parts = given.map(({ name, value }) => `${name.value}:${print(ordered(value))}`);
  return parts.sort().join(',');
}

function ordered(value: ValueNode): ValueNode {
  if (value.kind === Kind.LIST) return { ...value, values: value.values.map(ordered) };
  if (value.kind !== Kind.OBJECT) return value;
  const fields = value.fields.map((field) => ({ ...field, value: ordered(field.value) }));
  return { ...value, fields: fields.sort((one, other) => (one.name.value < other.name.value ? -1 : 1)) };
}
