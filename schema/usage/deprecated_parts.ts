import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

/** Something deprecated that an operation uses. */
export interface DeprecatedPart {
  /** Its coordinate in the schema: `Issue.weight`, `Query.issues(sort:)`, `IssueFilter.labels`, `Sort.OLD`. */
  field: string;
  reason: string;
}

const known = new WeakMap<DocumentNode, Map<OperationDefinitionNode, readonly DeprecatedPart[]>>();

/** The deprecated fields, arguments, fields of inputs and values of enums that the text of a valid operation names, each once. */
export function deprecatedParts(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly DeprecatedPart[] {
  const ofDocument = known.get(document) ?? new Map<OperationDefinitionNode, readonly DeprecatedPart[]>();
  known.set(document, ofDocument);
  const before = ofDocument.get(operation);
  if (before) return before;
  const found = find(schema, document, operation);
  ofDocument.set(operation, found);
  return found;
}

function find(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): DeprecatedPart[] {
  const parts = new Map<string, string>();
  const add = (field: string, reason: string | null | undefined) => {
    if (reason != null) parts.set(field, reason);
  };
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    // Fragments count only if the operation spreads them; a document of several operations is rare.
    OperationDefinition: (node) => (node === operation ? undefined : false),
    Field() {
      const [parent, field] = [types.getParentType(), types.getFieldDef()];
      if (parent && field) add(`${parent.name}.${field.name}`, field.deprecationReason);
    },
    Argument() {
      const [parent, field, argument] = [types.getParentType(), types.getFieldDef(), types.getArgument()];
      if (parent && field && argument)
        add(`${parent.name}.${field.name}(${argument.name}:)`, argument.deprecationReason);
    },
    ObjectField(node) {
      const parent = getNamedType(types.getParentInputType());
      if (!parent || !('getFields' in parent)) return;
      add(`${parent.name}.${node.name.value}`, parent.getFields()[node.name.value]?.deprecationReason);
    },
    EnumValue() {
      const [type, value] = [getNamedType(types.getInputType()), types.getEnumValue()];
      if (type && value) add(`${type.name}.${value.name}`, value.deprecationReason);
    },
  });
  visit(document, visitor);
  return [...parts].map(([field, reason]) => ({ field, reason }));
}
