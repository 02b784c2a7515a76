import type { GraphQLResolveInfo } from 'graphql';
import { builder } from '#schema/builder.ts';
import { pageArgs } from '#schema/connection.ts';
import type { GraphQLContext } from '#schema/context.ts';
import { webhookDeliveryFilter } from '#schema/filters.ts';
import { Group } from '#schema/groups/types.ts';
import { WebhookDelivery, WebhookDeliveryConnection } from '#schema/hooks/delivery.ts';
import { idOf } from '#schema/node/plugin.ts';
import { webhookDeliveryOrder } from '#schema/orders.ts';
import { Project } from '#schema/projects/types.ts';
import { loaderAt } from '#schema/records/below.ts';
import { pageBelow } from '#schema/records/page_below.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import { INTEGRATION_EVENTS, type IntegrationEvent } from '#src/domain/integrations/base/events.ts';
import type { Field, FieldType } from '#src/domain/integrations/base/field.ts';
import { linkedPages } from '#src/domain/integrations/external.ts';
import { type IntegrationView, listIntegrations, type Place } from '#src/domain/integrations/find.ts';
import { requireKind } from '#src/domain/integrations/save.ts';
import { listDeliveries, readDelivery } from '#src/domain/webhooks/deliveries.ts';

/** What each event is, for fields and inputs; without the end of the sentence. */
export const EVENT_DESCRIPTIONS: Record<IntegrationEvent, string> = {
  commit_events: 'Whether it is told of commits that are pushed',
  push_events: 'Whether it is told of pushes to branches',
  tag_push_events: 'Whether it is told of new and deleted tags',
  issues_events: 'Whether it is told of issues, except for confidential ones',
  confidential_issues_events: 'Whether it is told of confidential issues',
  merge_requests_events: 'Whether it is told of merge requests',
  note_events: 'Whether it is told of new comments',
  confidential_note_events: 'Whether it is told of new comments on what not everybody sees',
  job_events: 'Whether it is told of changes of the status of jobs',
  pipeline_events: 'Whether it is told of changes of the status of pipelines',
  wiki_page_events: 'Whether it is told of changes of wiki pages',
  deployment_events: 'Whether it is told of deployments',
};

const FIELD_TYPES: Record<FieldType, string> = {
  text: 'A text on one line.',
  long_text: 'A text of several lines.',
  url: 'A URL with http or https.',
  boolean: 'Either true or false.',
  choice: 'One of several words.',
  number: 'A number without fractions.',
};

const IntegrationFieldType = builder.enumType('IntegrationFieldType', {
  description: 'What the value of a field of an integration is.',
  values: Object.fromEntries(
    Object.entries(FIELD_TYPES).map(([value, description]) => [value.toUpperCase(), { value, description }]),
  ) as Record<string, { value: FieldType; description: string }>,
});

const IntegrationChoice = builder.objectRef<{ value: string; title: string }>('IntegrationChoice').implement({
  description: 'One of the values that a field of an integration can have.',
  fields: (t) => ({
    value: t.exposeString('value', { description: 'The value as it is stored.' }),
    title: t.exposeString('title', { description: 'What it means, for people.' }),
  }),
});

const IntegrationField = builder.objectRef<Field & { isSet: boolean }>('IntegrationField').implement({
  description: 'A setting that integrations of one kind have.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name in `properties`, and of the parameter in the REST API.' }),
    title: t.exposeString('title', { description: 'Name of the setting, for people.' }),
    type: t.field({ type: IntegrationFieldType, description: 'What its value is.', resolve: ({ type }) => type }),
    hint: t.string({
      nullable: true,
      description: 'What it is for; null where that is plain.',
      resolve: ({ hint }) => hint ?? null,
    }),
    isRequired: t.boolean({
      description: 'Whether an active integration must have a value.',
      resolve: ({ required }) => required === true,
    }),
    isSecret: t.boolean({
      description: 'Whether the value is stored encrypted, and never returned.',
      resolve: ({ secret }) => secret === true,
    }),
    isSet: t.exposeBoolean('isSet', { description: 'Whether this integration has a value, which may be a secret.' }),
    choices: t.field({
      type: [IntegrationChoice],
      description: 'The values that it can have; none if it can have any of its type.',
      resolve: ({ choices = {} }) => Object.entries(choices).map(([value, title]) => ({ value, title })),
    }),
  }),
});

/** Whether an integration is told of an event: a field for each. */
const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

export const Integration = builder.objectRef<IntegrationView>('Integration');

Integration.implement({
  description:
    'The connection of a project or group, or of the whole server, with another program. A place without one of a kind uses that of the nearest group around it, or of the server. For masters of the project, owners of the group, or administrators.',
  fields: (t) => ({
    databaseId: t.int({
      nullable: true,
      description: 'Numeric ID of the integration, as the REST API has it; null where none is set up.',
      resolve: ({ row }) => row?.id ?? null,
    }),
    slug: t.string({ description: 'The kind, such as `slack`.', resolve: ({ kind }) => kind.slug }),
    title: t.string({ description: 'Name of the kind, for people.', resolve: ({ kind }) => kind.title }),
    description: t.string({ description: 'What the kind is for.', resolve: ({ kind }) => kind.description }),
    active: t.boolean({ description: 'Whether it is set up and on.', resolve: ({ row }) => row?.active ?? false }),
    inherited: t.boolean({
      description: 'Whether it is that of a group around the place, or of the server.',
      resolve: ({ isInherited }) => isInherited,
    }),
    createdAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was set up; null where none is.',
      resolve: ({ row }) => row?.createdAt ?? null,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last changed; null where none is set up.',
      resolve: ({ row }) => row?.updatedAt ?? null,
    }),
    ...Object.fromEntries(
      (Object.keys(INTEGRATION_EVENTS) as IntegrationEvent[]).map((name) => [
        camelCase(name),
        t.boolean({
          description: `${EVENT_DESCRIPTIONS[name]}.`,
          resolve: ({ row }) => row?.events.includes(name) ?? false,
        }),
      ]),
    ),
    supportedEvents: t.stringList({
      description: 'The events that integrations of the kind can be told of, as the REST API names them.',
      resolve: ({ kind }) => [...kind.events],
    }),
    fields: t.field({
      type: [IntegrationField],
      description: 'The settings that integrations of the kind have.',
      resolve: ({ kind, row, properties }) =>
        kind.fields.map((field) => ({
          ...field,
          isSet: field.secret ? (row?.secretNames.includes(field.name) ?? false) : properties[field.name] != null,
        })),
    }),
    properties: t.field({
      type: 'JSON',
      description: 'The values of its settings by their names. Secrets are not among them.',
      resolve: ({ properties }) => properties,
    }),
    failures: t.int({
      description: 'Number of attempts to tell it of events that failed since the last one that succeeded.',
      resolve: ({ row }) => row?.failures ?? 0,
    }),
    disabledAt: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When it was switched off, as all attempts had failed for three days; null if it works. It is switched on again when it is saved.',
      resolve: ({ row }) => row?.disabledAt ?? null,
    }),
    deliveries: t.field({
      type: WebhookDeliveryConnection,
      description:
        'The last events that it was told of, newest first: those that wait, and at most 100 others. None of an inherited integration, and of one that is not told of events.',
      args: { ...pageArgs, ...webhookDeliveryFilter, ...webhookDeliveryOrder('ID', 'desc') },
      resolve: (view, args, context, info) =>
        pageBelow('HookDelivery', hookOf(view) ?? NO_HOOK, args, context, info, listDeliveries),
    }),
    delivery: t.field({
      type: WebhookDelivery,
      nullable: true,
      description: 'One of these deliveries by its ID; null where there can be none.',
      args: {
        id: t.arg({ ...idOf('WebhookDelivery'), required: true, description: 'Global or numeric ID of the delivery.' }),
      },
      resolve: (view, { id }, context, info) => {
        const hook = hookOf(view);
        return hook && readDelivery(context, { hookId: hook.id, id }, selectionAt(info, 'HookDelivery'));
      },
    }),
  }),
});

/** Stands for the hook of an integration that has none: nothing was delivered. */
const NO_HOOK = { id: 0 };

/** The hook of an integration that the place has itself. */
function hookOf({ row, isInherited }: IntegrationView): { id: number } | null {
  return row?.hookId && !isInherited ? { id: row.hookId } : null;
}

/** The integrations of a place; those of all places of a list are read together. */
function integrationsAt(context: GraphQLContext, info: GraphQLResolveInfo, place: Place): Promise<IntegrationView[]> {
  const load = (places: readonly Place[]) => listIntegrations(context, places);
  return loaderAt(context, info, { key: 'integrations' }, load, { cache: false }).load(place);
}

async function listAt(context: GraphQLContext, info: GraphQLResolveInfo, place: Place, onlyActive: boolean) {
  const all = await integrationsAt(context, info, place);
  return onlyActive ? all.filter(({ row }) => row?.active) : all;
}

interface Which {
  slug: string;
  onlyExisting?: boolean | null | undefined;
}

async function oneAt(context: GraphQLContext, info: GraphQLResolveInfo, place: Place, which: Which) {
  const { slug } = requireKind(which.slug);
  const found = (await integrationsAt(context, info, place)).find(({ kind }) => kind.slug === slug) ?? null;
  return which.onlyExisting && !found?.row ? null : found;
}

const ONLY_ACTIVE = 'Whether kinds that are not set up, or off, are left out.';
const ONLY_EXISTING = 'Whether it is null where none is set up, neither for the place nor around it.';
const SLUG = 'The kind, such as `slack`.';

const LinkedPage = builder.objectRef<{ title: string; url: string }>('LinkedPage').implement({
  description: 'A page of another program that belongs to a project.',
  fields: (t) => ({
    title: t.exposeString('title', { description: 'What it is, for people.' }),
    url: t.expose('url', { type: 'URL', description: 'Address of the page.' }),
  }),
});

builder.objectFields(Project, (t) => ({
  linkedPages: t.field({
    type: [LinkedPage],
    description:
      'The pages of an external issue tracker and an external wiki, as integrations name them; none without these.',
    resolve: ({ id }, _args, context, info) => {
      const load = (ids: readonly number[]) => linkedPages(context.db, ids);
      return loaderAt(context, info, { key: 'linked pages' }, load).load(id);
    },
  }),
  integrations: t.field({
    type: [Integration],
    nullable: true,
    description: 'All kinds of integrations, as they count for the project. For masters.',
    args: { onlyActive: t.arg.boolean({ defaultValue: false, description: ONLY_ACTIVE }) },
    resolve: (project, { onlyActive }, context, info) =>
      listAt(context, info, { project, group: null }, onlyActive === true),
  }),
  integration: t.field({
    type: Integration,
    nullable: true,
    description: 'The integration of one kind, as it counts for the project. For masters.',
    args: {
      slug: t.arg.string({ required: true, description: SLUG }),
      onlyExisting: t.arg.boolean({ defaultValue: false, description: ONLY_EXISTING }),
    },
    resolve: (project, which, context, info) => oneAt(context, info, { project, group: null }, which),
  }),
}));

builder.objectFields(Group, (t) => ({
  integrations: t.field({
    type: [Integration],
    nullable: true,
    description: 'All kinds of integrations, as they count for projects in the group without their own. For owners.',
    args: { onlyActive: t.arg.boolean({ defaultValue: false, description: ONLY_ACTIVE }) },
    resolve: (group, { onlyActive }, context, info) =>
      listAt(context, info, { project: null, group }, onlyActive === true),
  }),
  integration: t.field({
    type: Integration,
    nullable: true,
    description: 'The integration of one kind, as it counts for projects in the group without their own. For owners.',
    args: {
      slug: t.arg.string({ required: true, description: SLUG }),
      onlyExisting: t.arg.boolean({ defaultValue: false, description: ONLY_EXISTING }),
    },
    resolve: (group, which, context, info) => oneAt(context, info, { project: null, group }, which),
  }),
}));

const SERVER: Place = { project: null, group: null };

builder.queryFields((t) => ({
  serverIntegrations: t.field({
    type: [Integration],
    nullable: true,
    description: 'All kinds of integrations, as they count for places without their own. For administrators.',
    args: { onlyActive: t.arg.boolean({ defaultValue: false, description: ONLY_ACTIVE }) },
    resolve: (_root, { onlyActive }, context, info) => listAt(context, info, { ...SERVER }, onlyActive === true),
  }),
  serverIntegration: t.field({
    type: Integration,
    nullable: true,
    description: 'The integration of one kind, as it counts for places without their own. For administrators.',
    args: {
      slug: t.arg.string({ required: true, description: SLUG }),
      onlyExisting: t.arg.boolean({ defaultValue: false, description: ONLY_EXISTING }),
    },
    resolve: (_root, which, context, info) => oneAt(context, info, { ...SERVER }, which),
  }),
}));
