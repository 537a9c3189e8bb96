// Causes and ways out that entries of several files share.

export const CAUSES = {
  handlerFault: "Its handler met something that it was not written for; what it had changed was taken back.",
  code: (code: number) => `See code ${code}.` as const,
} as const;

export const FIXES = {
  none: "Nothing.",
  checkPath: "Check its path and rights.",
  otherHome: "Choose another --home.",
  otherName: "Choose another name.",
  newerLyra: "Use the newer one.",
  tryAgain: "Try again in a moment.",
  leaveOut: "Leave it out.",
  split: "Split it up.",
  stakeMore: "Stake more.",
  correctAmount: "Correct the amount.",
  otherNetwork: "Send it to a network that has this feature.",
  networkLimits: "Look at GET /network/limits.",
  lookUpCode: "Look up that code here.",
  lookUpWords: "Look up the words in parentheses here.",
  lookUpThem: "Look them up here.",
  showBalance: "GET /api/v2/accounts?filter.partyIds=YOUR_KEY shows what there is.",
} as const;
