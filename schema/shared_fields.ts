import SchemaBuilder, { BasePlugin, FieldRef, type PothosOutputFieldConfig, type SchemaTypes } from '@pothos/core';
import type { GraphQLContext } from '#schema/context.ts';

type Config = PothosOutputFieldConfig<SchemaTypes>;
type Store = PothosSchemaTypes.SchemaBuilder<SchemaTypes>['configStore'];

/** An interface whose fields are those that its types have in common. */
interface Shared {
  name: string;
  types: readonly string[];
  /** All that the types have in common, but what is deprecated, if left out. */
  fields: readonly string[] | undefined;
}

/** The interfaces (interfaces.ts). */
export const SHARED: Shared[] = [];

/**
 * Gives interfaces the fields that all of their types have, under one type and with the same arguments, as nullable as the most nullable
 * of them. Called when all types are there.
 */
function shareFields(configStore: Store): void {
  configStore.prepareForBuild();
  for (const type of SHARED.find(({ fields }) => fields?.includes('webPath'))?.types ?? []) addPath(configStore, type);
  for (const { name: interfaceName, types, fields } of SHARED) {
    const all = types.map((type) => fieldsOf(configStore, type));
    const [first = new Map<string, Config>()] = all;
    const common = [...first.keys()].flatMap((name) => {
      const configs = all.flatMap((one) => one.get(name) ?? []);
      const isWanted = fields
        ? fields.includes(name)
        : configs.every((config) => config.deprecationReason === undefined);
      if (!isWanted || configs.length < types.length || !areAlike(configStore, configs)) return [];
      return [[name, inInterface(interfaceName, types, configs)] as const];
    });
    const missing = fields?.filter((name) => !common.some(([known]) => known === name)) ?? [];
    if (missing.length > 0) throw new Error(`${interfaceName}: not all types have ${missing.join(', ')}`);
    configStore.addFields(interfaceName as never, () => Object.fromEntries(common) as never);
    for (const type of types) {
      configStore.onTypeConfig(type as never, (_config, object) => addInterface(object, interfaceName));
    }
  }
}

/** Adds an interface to a type: before others, whose fields are more than declared. */
function addInterface(object: unknown, name: string): void {
  const { updateConfig } = object as { updateConfig(update: (config: Interfaces) => Interfaces): void };
  updateConfig.call(object, (config) => ({ ...config, interfaces: [name, ...config.interfaces] }));
}

interface Interfaces {
  interfaces: readonly unknown[];
}

/** The fields of a type with those of its interfaces. */
function fieldsOf(configStore: Store, type: string): Map<string, Config> {
  const config = configStore.getTypeConfig(type);
  const { interfaces = [] } = config as { interfaces?: readonly never[] };
  const inherited = interfaces.flatMap((one) => [...fieldsOf(configStore, configStore.getTypeConfig(one).name)]);
  return new Map([...inherited, ...(configStore.getFields(type) as unknown as Map<string, Config>)]);
}

/** Adds `webPath` to a type with `webUrl`, which it is a part of. */
function addPath(configStore: Store, type: string): void {
  const url = fieldsOf(configStore, type).get('webUrl');
  const resolve = url?.resolve;
  if (!url || !resolve) throw new Error(`${type} has no webUrl`);
  const path: Config = {
    ...url,
    name: 'webPath',
    parentType: type,
    description: `Path of \`webUrl\`, without the address of the server.${url.type.nullable ? ' Null where that is null.' : ''}`,
    resolve: async (...given) => {
      const { baseUrl } = given[2] as GraphQLContext;
      return ((await resolve(...given)) as string | null)?.slice(baseUrl.length) ?? null;
    },
  };
  configStore.addFields(type as never, () => ({ webPath: fieldOf(path) }) as never);
}

function inInterface(parentType: string, types: readonly string[], configs: readonly Config[]) {
  const [first] = configs as [Config];
  const isNullable = configs.some(({ type }) => type.nullable);
  const { extensions: _, ...config } = first;
  return fieldOf({
    ...config,
    kind: 'Interface',
    graphqlKind: 'Interface',
    parentType,
    type: { ...first.type, nullable: first.type.kind === 'List' ? first.type.nullable : isNullable },
    args: commonArgs(configs),
    argMappers: [],
    description: describe(types, configs),
    resolve: () => null,
  } as Config);
}

function fieldOf(config: Config) {
  return new FieldRef<SchemaTypes>(config.graphqlKind, () => config);
}

function commonArgs(configs: readonly Config[]): Config['args'] {
  const [first, ...others] = configs as [Config, ...Config[]];
  return Object.fromEntries(Object.entries(first.args).filter(([name]) => others.every(({ args }) => args[name])));
}

/** The description, or that of each type where they differ. */
function describe(types: readonly string[], configs: readonly Config[]): string {
  const texts = configs.map(({ description }) => description ?? '');
  if (new Set(texts).size === 1) return texts[0] ?? '';
  return texts.map((text, index) => `${types[index]}: ${text}`).join(' ');
}

/** Whether fields have one type, and no arguments that some need, by default or by the caller, and others do not know. */
function areAlike(configStore: Store, configs: readonly Config[]): boolean {
  const [first, ...others] = configs as [Config, ...Config[]];
  return others.every(
    (other) =>
      typeText(configStore, other.type) === typeText(configStore, first.type) &&
      Object.entries({ ...first.args, ...other.args }).every(
        ([
          name,
          {
            type: { required },
          },
        ]) => {
          const [one, another] = [first.args[name], other.args[name]];
          // The compiler of Relay refuses schemas with such arguments even where they have a default.
          if (!one || !another) return !required;
          return (
            one.type.required === another.type.required &&
            typeText(configStore, one.type) === typeText(configStore, another.type)
          );
        },
      ),
  );
}

type Of = Config['type'] | Config['args'][string]['type'];

function typeText(configStore: Store, type: Of): string {
  if (type.kind === 'List') return `[${typeText(configStore, type.type)}]`;
  return configStore.getTypeConfig(type.ref as never).name;
}

/** Fills interfaces when all types are there, before the schema is built. */
class SharedFieldsPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override beforeBuild(): void {
    shareFields(this.builder.configStore as unknown as Store);
  }
}

declare global {
  export namespace PothosSchemaTypes {
    export interface Plugins<Types extends SchemaTypes> {
      sharedFields: SharedFieldsPlugin<Types>;
    }
  }
}

SchemaBuilder.registerPlugin('sharedFields', SharedFieldsPlugin);
