import { builder } from '#schema/builder.ts';

export const VariableType = builder.enumType('VariableType', {
  description: 'How jobs get the value of a variable.',
  values: {
    ENV_VAR: { value: 'env_var', description: 'As the value of an environment variable.' },
    FILE: { value: 'file', description: 'As a file, whose path is the value of the environment variable.' },
  } as const,
});
