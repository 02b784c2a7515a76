/** What the inputs of a pipeline are. */
export const INPUTS =
  'Values of the `spec:inputs` of `.gitlab-ci.yml`: an object of names and texts, numbers, booleans or lists.';
