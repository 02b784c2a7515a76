import {
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  type VariableDefinitionNode,
} from 'graphql';
import { OWNER_REF } from '#schema/places/owner_ref.ts';

/** How a row of a facade differs from the variables of its operation, or from the fields of `$input`. */
export interface Differences {
  /**
   * Names of parameters, if they differ from the variable or input field that they fill. A field within another one, `a[b]`, becomes a
   * parameter of its own by that.
   */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** Fields of `$input`, or of another variable that is an input, that are no parameters: `squash`, `position[line_range]`. */
  readonly hidden?: readonly string[] | undefined;
  /** Parameters that must be present, though the schema may not require the input fields that they fill. */
  readonly required?: readonly string[] | undefined;
  /** What `$input` has besides parameters, as in GraphQL. */
  readonly preset?: Readonly<Record<string, unknown>> | undefined;
}

/** How a facade shows inputs. */
export interface Manner {
  /** What a field of the schema is called. */
  readonly word: (field: string) => string;
  /** Whether the fields of a variable of an input type are parameters of their own, or keys of one. Those of `$input` are their own. */
  readonly opens: (variable: string) => 'apart' | 'within' | null;
  /** Whether an input within another one is a parameter for each of its fields, `a[b]`, rather than one. */
  readonly nests: boolean;
}

/** What an operation takes from a request: a variable, or a field of one. */
export interface Taken {
  /** The name of the parameter, and those of the fields in it. */
  readonly keys: readonly [name: string, ...inner: string[]];
  /** The variable that it fills, or the path to a field of it. */
  readonly fills: readonly [variable: string, ...fields: string[]];
  readonly type: GraphQLInputType;
  readonly field?: GraphQLInputField;
  readonly required: boolean;
  /** Whether it must be present if what it is in is. */
  readonly neededWithin: boolean;
  /** For each but the last of its keys, what is in there; empty for a variable. */
  readonly around: readonly string[];
  /** How many of its keys lead to a record around it that the record around that must have; each of them. */
  readonly neededAround: readonly number[];
  readonly definition: VariableDefinitionNode;
}

/** The variable for all of the input of a mutation. */
export const INPUT = 'input';

/** Whether an operation is a mutation with one variable for all of its input. */
export function takesInput({ operation, variableDefinitions = [] }: OperationDefinitionNode): boolean {
  return operation === 'mutation' && variableDefinitions.some(({ variable }) => variable.name.value === INPUT);
}

/** The type of `$input`; null for operations without. */
export function inputTypeOf(operation: OperationDefinitionNode, schema: GraphQLSchema): GraphQLInputObjectType | null {
  const definition = operation.variableDefinitions?.find(({ variable }) => variable.name.value === INPUT);
  const type = takesInput(operation) && definition ? typeFromAST(schema, definition.type) : undefined;
  const record = type && getNamedType(type);
  return isInputObjectType(record) ? record : null;
}

/** All that an operation takes, in its order; variables whose type the schema does not have are left out. */
export function takenBy(
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
  differences: Differences,
  manner: Manner,
): Taken[] {
  const isInput = takesInput(operation);
  return (operation.variableDefinitions ?? []).flatMap((definition): Taken[] => {
    const variable = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type) as GraphQLInputType | undefined;
    if (!type) return [];
    const record = getNullableType(type);
    const key = differences.names?.[variable] ?? variable;
    const opened = isInput && variable === INPUT ? 'apart' : manner.opens(variable);
    if (isInputObjectType(record) && opened) {
      const inside = opened === 'within' ? { within: [key] as const, around: [''] } : { around: [] };
      return fieldsTaken(record, { fills: [variable], at: '', ...inside }, { definition, differences, manner });
    }
    const required = isNonNullType(type) && definition.defaultValue === undefined;
    return [
      { keys: [key], fills: [variable], type, required, neededWithin: false, around: [], neededAround: [], definition },
    ];
  });
}

/** The variables of an operation with these values of parameters, by name. */
export function filled(
  taken: readonly Pick<Taken, 'keys' | 'fills'>[],
  values: Readonly<Record<string, unknown>>,
  preset: Differences['preset'] = {},
): Record<string, unknown> {
  const isInput = taken.some(({ fills }) => fills[0] === INPUT && fills.length > 1);
  const variables: Record<string, unknown> = isInput ? { [INPUT]: { ...preset } } : {};
  for (const { keys, fills } of taken) {
    const name = keys.join('.');
    if (Object.hasOwn(values, name)) fill(variables, fills, values[name]);
  }
  return variables;
}

/** Sets a variable, or a field of an input variable. */
export function fill(variables: Record<string, unknown>, path: Taken['fills'], value: unknown): void {
  let at = variables;
  let key: string = path[0];
  for (let depth = 1; depth < path.length; depth += 1) {
    const inner = (at[key] ?? {}) as Record<string, unknown>;
    at[key] = inner;
    at = inner;
    key = path[depth] ?? '';
  }
  at[key] = value;
}

/** Where fields of an input are. */
interface Inside {
  fills: Taken['fills'];
  /** The fields down to these, as rows name them: empty for those of a variable, else `position`. */
  at: string;
  /** The keys of the parameter that they are in, if any. */
  within?: Taken['keys'];
  around: readonly string[];
  neededAround?: readonly number[];
}

interface About {
  definition: VariableDefinitionNode;
  differences: Differences;
  manner: Manner;
}

function fieldsTaken(
  record: GraphQLInputObjectType,
  { fills: above, at, within, around, neededAround = [] }: Inside,
  about: About,
): Taken[] {
  const { names = {}, hidden = [], required: needed = [] } = about.differences;
  const { word, nests } = about.manner;
  const pathOf = ({ name }: GraphQLInputField) => (at ? `${at}[${word(name)}]` : word(name));
  const isNamedWithin = (path: string) => Object.keys(names).some((name) => name.startsWith(`${path}[`));
  const isNamed = (path: string) => names[path] !== undefined || isNamedWithin(path);
  const fields = Object.values(record.getFields());
  // What a reference is given by follows from the row.
  const isReference = record.isOneOf && fields.some((field) => isNamed(pathOf(field)));
  return fields.flatMap((field): Taken[] => {
    const inner = getNullableType(field.type);
    // Facades name projects and groups by fields of their own.
    if (isInputObjectType(inner) && inner.name === OWNER_REF) return [];
    const path = pathOf(field);
    if (hidden.includes(path) || (isReference && !isNamed(path))) return [];
    const own = names[path] ?? word(field.name);
    const keys: Taken['keys'] = within && names[path] === undefined ? [...within, own] : [own];
    const fills: Taken['fills'] = [...above, field.name];
    if (isInputObjectType(inner) && (nests || isNamedWithin(path))) {
      const isNeeded = keys.length > 1 && isRequiredInputField(field);
      const inside = { fills, at: path, within: keys, around: [...around, field.description ?? ''] };
      return fieldsTaken(
        inner,
        { ...inside, neededAround: isNeeded ? [...neededAround, keys.length] : neededAround },
        about,
      );
    }
    const isInner = keys.length > 1;
    const isNeeded = isRequiredInputField(field);
    const isAsked = needed.includes(keys[0]);
    return [
      {
        keys,
        fills,
        type: isAsked ? new GraphQLNonNull(inner) : field.type,
        field,
        required: isAsked || (!isInner && isNeeded),
        neededWithin: isInner && isNeeded,
        around: isInner ? around : [],
        neededAround: isInner ? neededAround : [],
        definition: about.definition,
      },
    ];
  });
}
