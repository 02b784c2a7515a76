import { type GraphQLSchema, getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { deprecated } from '#schema/deprecated.ts';

/** The fields with a record, of those whose numbers or type names are called otherwise. */
const BESIDE: Readonly<Record<string, string>> = {
  'AuditEvent.entityId': 'entity',
  'AuditEventDetails.targetId': 'target',
  'AuthorizedApplication.applicationDatabaseId': 'application',
  'AwardEmoji.awardableId': 'awardable',
  'AwardEmoji.awardableType': 'awardable',
  'Discussion.noteableId': 'subject',
  'Discussion.noteableType': 'subject',
  'Event.targetId': 'target',
  'Event.targetIid': 'target',
  'Event.targetType': 'target',
  'LabelEvent.subjectType': 'subject',
  'MilestoneEvent.subjectType': 'subject',
  'Note.noteableId': 'subject',
  'Note.noteableIid': 'subject',
  'Note.noteableType': 'subject',
  'StateEvent.subjectType': 'subject',
  'UserMembership.sourceType': 'source',
};

/** Deprecates the numbers and the type names of records for which there is a field with the record. */
export function deprecateNumbers(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(isObjectType(type) || isInterfaceType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      const beside = BESIDE[`${type.name}.${field.name}`] ?? namedBy(field.name, getNamedType(field.type).name);
      // A field of an interface is deprecated in all of its types, or in none.
      const around = type.getInterfaces().filter((one) => one.getFields()[field.name]);
      if (beside === undefined || [type, ...around].some((one) => !one.getFields()[beside])) continue;
      field.deprecationReason ??= deprecated(`Use \`${beside}\`.`, '0.3.0', '0.5.0').deprecationReason;
    }
  }
  return schema;
}

/** What an ID is of, by its name. */
function namedBy(field: string, type: string): string | undefined {
  return type === 'Int' || type === 'ID' ? /^(\w+)Id$/.exec(field)?.[1] : undefined;
}
