import {
  type DefinitionNode,
  type DirectiveLocation,
  type FieldDefinitionNode,
  GraphQLDirective,
  GraphQLEnumType,
  GraphQLInputObjectType,
  GraphQLInterfaceType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLType,
  type InputValueDefinitionNode,
  Kind,
  type NamedTypeNode,
  specifiedScalarTypes,
  type TypeNode,
} from 'graphql';

/**
 * The types of a schema of which definitions are read one by one, as far as compat/schema.graphql goes: without unions, extensions and
 * directives on what is defined. A type refers to others when its fields are asked for, which are there by then.
 */
export class Types {
  readonly #types = new Map<string, GraphQLNamedType>(specifiedScalarTypes.map((type) => [type.name, type]));
  readonly directives: GraphQLDirective[] = [];

  /** Reads a definition; that of the schema itself, which names its roots, has nothing to read. Throws an Error for one of another kind. */
  read(definition: DefinitionNode): void {
    if (definition.kind === Kind.SCHEMA_DEFINITION) return;
    if (definition.kind === Kind.DIRECTIVE_DEFINITION) {
      const locations = definition.locations.map(({ value }) => value as DirectiveLocation);
      const { repeatable: isRepeatable, arguments: args } = definition;
      this.directives.push(
        new GraphQLDirective({ ...named(definition), isRepeatable, locations, args: this.#inputs(args) }),
      );
      return;
    }
    const type = this.#typeOf(definition);
    this.#types.set(type.name, type);
  }

  /** All types, those of the specification among them. */
  all(): GraphQLNamedType[] {
    return [...this.#types.values()];
  }

  /** The type with a name. Throws an Error where there is none. */
  named(name: string): GraphQLNamedType {
    const type = this.#types.get(name);
    if (!type) throw new Error(`There is no type ${name}`);
    return type;
  }

  #typeOf(definition: DefinitionNode): GraphQLNamedType {
    switch (definition.kind) {
      case Kind.SCALAR_TYPE_DEFINITION:
        return new GraphQLScalarType(named(definition));
      case Kind.ENUM_TYPE_DEFINITION: {
        const values = (definition.values ?? []).map((value) => [value.name.value, described(value)]);
        return new GraphQLEnumType({ ...named(definition), values: Object.fromEntries(values) });
      }
      case Kind.INPUT_OBJECT_TYPE_DEFINITION:
        return new GraphQLInputObjectType({ ...named(definition), fields: () => this.#inputs(definition.fields) });
      case Kind.INTERFACE_TYPE_DEFINITION:
      case Kind.OBJECT_TYPE_DEFINITION: {
        const config = {
          ...named(definition),
          interfaces: () => this.#interfaces(definition.interfaces),
          fields: () => this.#fields(definition.fields),
        };
        const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION;
        return isObject ? new GraphQLObjectType(config) : new GraphQLInterfaceType(config);
      }
      default:
        throw new Error(`Definitions of the kind ${definition.kind} are not read`);
    }
  }

  #interfaces(nodes: readonly NamedTypeNode[] = []): GraphQLInterfaceType[] {
    return nodes.map(({ name }) => this.named(name.value) as GraphQLInterfaceType);
  }

  #fields(nodes: readonly FieldDefinitionNode[] = []) {
    const fields = nodes.map((field) => {
      const type = this.#wrapped(field.type);
      return [field.name.value, { ...described(field), type, args: this.#inputs(field.arguments) }];
    });
    return Object.fromEntries(fields);
  }

  #inputs(nodes: readonly InputValueDefinitionNode[] = []) {
    const inputs = nodes.map((input) => {
      const standard = input.defaultValue && { literal: input.defaultValue };
      return [input.name.value, { ...described(input), type: this.#wrapped(input.type), default: standard }];
    });
    return Object.fromEntries(inputs);
  }

  #wrapped(node: TypeNode): GraphQLType {
    if (node.kind === Kind.LIST_TYPE) return new GraphQLList(this.#wrapped(node.type));
    if (node.kind === Kind.NON_NULL_TYPE) return new GraphQLNonNull(this.#wrapped(node.type) as never);
    return this.named(node.name.value);
  }
}

interface Described {
  readonly description?: { readonly value: string } | undefined;
}

function described({ description }: Described) {
  return { description: description?.value };
}

function named(definition: Described & { readonly name: { readonly value: string } }) {
  return { name: definition.name.value, ...described(definition) };
}
