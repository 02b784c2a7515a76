import { builder } from '#schema/builder.ts';
import { FeatureToggle } from '#schema/feature_toggles/types.ts';
import { mutation } from '#schema/mutation.ts';
import { deleteFeatureToggle, setFeatureToggle } from '#src/domain/administration/feature_toggles/toggles.ts';
import { BadRequest } from '#src/platform/errors.ts';

const FeatureTogglePercentage = builder.enumType('FeatureTogglePercentage', {
  description: 'What the percentage of a feature toggle counts.',
  values: {
    PERCENTAGE_OF_TIME: { value: 'percentage_of_time', description: 'Of a hundred times that it is asked for.' },
    PERCENTAGE_OF_ACTORS: { value: 'percentage_of_actors', description: 'Of a hundred users, projects or groups.' },
  } as const,
});

const named = (text: string | null | undefined) =>
  (text ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

mutation('setFeatureToggle', {
  description: 'Sets a feature toggle, which is made if there is none of the name. For administrators.',
  input: {
    description: 'What a feature toggle is on for.',
    argument: 'Names the toggle, and what it is on for.',
    fields: (t) => ({
      name: t.string({ required: true, description: 'Name of the toggle: letters, digits, `_`, `-` and `.`.' }),
      value: t.string({ required: true, description: '`true`, `false`, or a percentage from 0 to 100.' }),
      key: t.field({
        type: FeatureTogglePercentage,
        description: 'What a percentage counts; time when left out.',
      }),
      featureGroup: t.string({
        description: 'A group of users by a rule, such as `administrators`, that it is set for.',
      }),
      users: t.string({ description: 'Usernames, separated by commas, that it is set for.' }),
      groups: t.string({ description: 'Full paths of groups, separated by commas, that it is set for.' }),
      projects: t.string({ description: 'Full paths of projects, separated by commas, that it is set for.' }),
    }),
  },
  resolve: async ({ name, value, key, featureGroup, users, groups, projects }, context) => {
    const text = value.trim();
    if (!/^(?:true|false|\d{1,3}(?:\.\d{1,6})?)$/.test(text)) {
      throw new BadRequest('value must be true, false, or a percentage from 0 to 100', 'value');
    }
    return {
      featureToggle: await setFeatureToggle(context, name, {
        value: text === 'true' || text === 'false' ? text === 'true' : Number(text),
        of: key === 'percentage_of_actors' ? 'actors' : 'time',
        featureGroup: featureGroup?.trim(),
        users: named(users),
        groups: named(groups),
        projects: named(projects),
      }),
    };
  },
  payload: {
    description: 'The toggle after the mutation.',
    fields: (t) => ({
      featureToggle: t.expose('featureToggle', { type: FeatureToggle, description: 'The toggle as it is now.' }),
    }),
  },
});

mutation('deleteFeatureToggle', {
  description: 'Removes a feature toggle; nothing happens if there is none of the name. For administrators.',
  input: {
    description: 'Which feature toggle to remove.',
    argument: 'Names the toggle to remove.',
    fields: (t) => ({ name: t.string({ required: true, description: 'Name of the toggle.' }) }),
  },
  resolve: async ({ name }, context) => {
    await deleteFeatureToggle(context, name);
    return { name };
  },
  payload: {
    description: 'The toggle that was removed.',
    fields: (t) => ({ deletedFeatureToggleName: t.exposeString('name', { description: 'Name that the toggle had.' }) }),
  },
});
