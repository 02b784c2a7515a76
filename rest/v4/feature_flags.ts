import { mutation } from '#rest/engine/mutation.ts';
import type { Route } from '#rest/engine/route.ts';
import * as operations from '#src/generated/operations.ts';

const FLAGS = '/projects/:id/feature_flags';
const FLAG = `${FLAGS}/:feature_flag_name`;
const LISTS = '/projects/:id/feature_flags_user_lists';
const LIST = `${LISTS}/:iid`;

/** Scopes of flags of the first version, which there are none of. */
const constants = { scopes: [] };
const notFound = {
  FeatureFlag: '404 Not found',
  FeatureFlagStrategy: '404 Not found',
  FeatureFlagScope: '404 Not found',
  FeatureFlagUserList: '404 Not found',
};
const ofFlag = {
  names: { 'feature_flag[name]': 'feature_flag_name' },
  hidden: ['feature_flag[id]', 'feature_flag[iid]'],
  precheck: 'read_feature_flag',
  constants,
  notFound,
};
const ofList = {
  names: { 'user_list[iid]': 'iid' },
  hidden: ['user_list[id]'],
  precheck: 'read_feature_flag',
  notFound,
};

export const featureFlags: Route[] = [
  {
    method: 'GET',
    path: FLAGS,
    operation: operations.ProjectFeatureFlagsDocument,
    result: 'project.featureFlags',
    precheck: 'read_feature_flag',
    constants,
  },
  {
    method: 'GET',
    path: FLAG,
    operation: operations.ProjectFeatureFlagDocument,
    result: 'project.featureFlag',
    precheck: 'read_feature_flag',
    constants,
    notFound,
  },
  {
    method: 'POST',
    path: FLAGS,
    ...mutation('CreateFeatureFlag', 'createFeatureFlag.featureFlag', '...FeatureFlagRecord'),
    precheck: 'read_feature_flag',
    constants,
    notFound,
  },
  {
    method: 'PUT',
    path: FLAG,
    ...mutation('UpdateFeatureFlag', 'updateFeatureFlag.featureFlag', '...FeatureFlagRecord'),
    ...ofFlag,
  },
  {
    method: 'DELETE',
    path: FLAG,
    ...mutation('DeleteFeatureFlag', 'deleteFeatureFlag.featureFlag', '...FeatureFlagRecord'),
    ...ofFlag,
  },
  {
    method: 'GET',
    path: LISTS,
    operation: operations.ProjectFeatureFlagUserListsDocument,
    result: 'project.featureFlagUserLists',
    precheck: 'read_feature_flag',
  },
  {
    method: 'GET',
    path: LIST,
    operation: operations.ProjectFeatureFlagUserListDocument,
    result: 'project.featureFlagUserList',
    precheck: 'read_feature_flag',
    notFound,
  },
  {
    method: 'POST',
    path: LISTS,
    ...mutation('CreateFeatureFlagUserList', 'createFeatureFlagUserList.userList', '...FeatureFlagUserListRecord'),
    precheck: 'read_feature_flag',
  },
  {
    method: 'PUT',
    path: LIST,
    ...mutation('UpdateFeatureFlagUserList', 'updateFeatureFlagUserList.userList', '...FeatureFlagUserListRecord'),
    ...ofList,
  },
  {
    method: 'DELETE',
    path: LIST,
    ...mutation('DeleteFeatureFlagUserList', 'deleteFeatureFlagUserList', 'deletedFeatureFlagUserListId'),
    ...ofList,
    status: 204,
    conflictsListed: true,
  },
];
