import { builder } from '#schema/builder.ts';
import { loadPage, pageArgs } from '#schema/connection.ts';
import { SortDirection } from '#schema/enums.ts';
import { idOf } from '#schema/node/plugin.ts';
import { selectionAt } from '#schema/records/selection_at.ts';
import {
  PersonalAccessTokenConnection,
  PersonalAccessTokenFilter,
  PersonalAccessTokenOrder,
} from '#schema/tokens/types.ts';
import { User, UserConnection } from '#schema/users/types.ts';
import { findServiceAccount, listServiceAccounts } from '#src/domain/members/service_accounts/list.ts';
import { listServiceAccountTokens } from '#src/domain/members/service_accounts/tokens.ts';

const ServiceAccountOrder = builder.enumType('ServiceAccountOrder', {
  description: 'Ways to order service accounts.',
  values: {
    ID: { value: 'id', description: 'By number, and so by age.' },
    USERNAME: { value: 'username', description: 'By username, in alphabetical order.' },
  } as const,
});

const ServiceAccountFilter = builder.inputType('ServiceAccountFilter', {
  description: 'Which service accounts a list has: those that match all fields.',
  fields: (t) => ({
    search: t.string({ description: 'Only service accounts with this text in name or username, in any case.' }),
  }),
});

const placeArgs = builder.args((t) => ({
  project: t.field({
    type: 'ProjectRef',
    description: 'The project of the service accounts: full path, global ID or numeric ID.',
  }),
  group: t.field({
    type: 'GroupRef',
    description: 'The group of the service accounts: full path, global ID or numeric ID.',
  }),
}));

const OWNERS =
  'For owners of the project or group, of which at most one is named; where neither is, of the server, for administrators.';

builder.queryFields((t) => ({
  serviceAccounts: t.field({
    type: UserConnection,
    nullable: true,
    description: `The service accounts of a project, of a group or of the server, with their e-mail addresses. ${OWNERS}`,
    args: {
      ...placeArgs,
      ...pageArgs,
      filter: t.arg({ type: ServiceAccountFilter, description: 'Which service accounts to list; all when left out.' }),
      orderBy: t.arg({
        type: ServiceAccountOrder,
        required: true,
        defaultValue: 'id',
        description: 'What to sort the service accounts by.',
      }),
      sort: t.arg({
        type: SortDirection,
        required: true,
        defaultValue: 'desc',
        description: 'Direction of the order.',
      }),
    },
    resolve: (_root, { project, group, filter, orderBy, sort, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listServiceAccounts(
          context,
          { project, group },
          { ...filter, by: orderBy, direction: sort },
          page,
          selectionAt(info, 'User'),
        ),
      ),
  }),
  serviceAccount: t.field({
    type: User,
    nullable: true,
    description: `A service account of a project, of a group or of the server, with its e-mail address. ${OWNERS}`,
    args: {
      ...placeArgs,
      id: t.arg({ ...idOf('User'), required: true, description: 'Global or numeric ID of the service account.' }),
    },
    resolve: (_root, { project, group, id }, context, info) =>
      findServiceAccount(context, { project, group }, id, selectionAt(info, 'User')),
  }),
  serviceAccountTokens: t.field({
    type: PersonalAccessTokenConnection,
    nullable: true,
    description: `The personal access tokens of a service account. ${OWNERS}`,
    args: {
      ...placeArgs,
      ...pageArgs,
      userId: t.arg({ ...idOf('User'), required: true, description: 'Global or numeric ID of the service account.' }),
      filter: t.arg({ type: PersonalAccessTokenFilter, description: 'Which tokens to list; all when left out.' }),
      orderBy: t.arg({
        type: PersonalAccessTokenOrder,
        required: true,
        defaultValue: 'created_asc',
        description: 'In which order they are.',
      }),
    },
    resolve: (_root, { project, group, userId, filter, orderBy, ...args }, context, info) =>
      loadPage(args, info, (page) =>
        listServiceAccountTokens(
          context,
          { project, group, userId },
          { filter: filter ?? { state: 'all' }, order: orderBy },
          page,
          selectionAt(info, 'PersonalAccessToken'),
        ),
      ),
  }),
}));
