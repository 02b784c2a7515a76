import { AuditEntityType, AuditEvent, AuditEventConnection, eventArg, filterArg } from '#schema/audit_events/types.ts';
import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { Group } from '#schema/groups/types.ts';
import { databaseIdOf } from '#schema/node/plugin.ts';
import { fromGlobalId } from '#schema/node/types.ts';
import { auditEventOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  type AuditEntity,
  type AuditEntityFilter,
  findAuditEvent,
  findAuditEventOf,
  listAllAuditEvents,
  listAuditEvents,
} from '#src/domain/activity/audit_events.ts';

/** The place that is named by its kind and ID; a global ID says the kind itself. */
function namedEntity(type: AuditEntity | null | undefined, id: string | number | null | undefined): AuditEntityFilter {
  if (id == null) return { entityType: type };
  const known = fromGlobalId(String(id))?.type;
  const entityType = type ?? (['Project', 'Group', 'User'] as const).find((one) => one === known);
  return { entityType, entityId: databaseIdOf(entityType ?? 'Project', String(id), 'entityId') };
}

builder.queryFields((t) => ({
  auditEvents: t.field({
    type: AuditEventConnection,
    nullable: true,
    description: 'What administrators, owners and masters changed, newest first. For administrators of the server.',
    args: {
      ...pageArgs,
      ...auditEventOrder('CREATED_AT', 'desc'),
      ...filterArg,
      entityType: t.arg({ type: AuditEntityType, description: 'Only events in places of this kind.' }),
      entityId: t.arg.id({
        description:
          'Only events in the place with this ID: the global one of a project, group or user, or the numeric one beside `entityType`.',
      }),
    },
    resolve: (_root, { filter, entityType, entityId, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listAllAuditEvents(
          context,
          { ...filter, ...namedEntity(entityType, entityId) },
          page,
          selectionAt(info, 'AuditEvent'),
        ),
      ),
  }),
  auditEvent: t.field({
    type: AuditEvent,
    description: 'An audit event by its ID. For administrators of the server.',
    args: eventArg,
    resolve: (_root, { id }, context, info) => findAuditEvent(context, id, selectionAt(info, 'AuditEvent')),
  }),
}));

builder.objectFields(Project, (t) => ({
  auditEvents: t.field({
    type: AuditEventConnection,
    nullable: true,
    description: 'What its masters and administrators changed in the project, newest first. For its masters.',
    args: { ...pageArgs, ...auditEventOrder('CREATED_AT', 'desc'), ...filterArg },
    resolve: (record, args, context, info) =>
      pageBelow(
        'AuditEvent',
        { kind: 'project', record } as const,
        args,
        context,
        info,
        (...[, places, page, selection]) => listAuditEvents(context, places, args.filter ?? {}, page, selection),
      ),
  }),
  auditEvent: t.field({
    type: AuditEvent,
    description: 'An audit event of the project by its ID. For its masters.',
    args: eventArg,
    resolve: (record, { id }, context, info) =>
      findAuditEventOf(context, { kind: 'project', record }, id, selectionAt(info, 'AuditEvent')),
  }),
}));

builder.objectFields(Group, (t) => ({
  auditEvents: t.field({
    type: AuditEventConnection,
    nullable: true,
    description:
      'What its owners and administrators changed in the group itself, without what is in it, newest first. For its owners.',
    args: { ...pageArgs, ...auditEventOrder('CREATED_AT', 'desc'), ...filterArg },
    resolve: (record, args, context, info) =>
      pageBelow(
        'AuditEvent',
        { kind: 'group', record } as const,
        args,
        context,
        info,
        (...[, places, page, selection]) => listAuditEvents(context, places, args.filter ?? {}, page, selection),
      ),
  }),
  auditEvent: t.field({
    type: AuditEvent,
    description: 'An audit event of the group by its ID. For its owners.',
    args: eventArg,
    resolve: (record, { id }, context, info) =>
      findAuditEventOf(context, { kind: 'group', record }, id, selectionAt(info, 'AuditEvent')),
  }),
}));
