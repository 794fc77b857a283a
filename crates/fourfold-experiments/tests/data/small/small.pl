UCLA pl 1.0

a   10    20   : N
b   14.5  20   : FN
c   17    20   : W       # a quarter turn: 2 wide and 3 high
m   20    20   : S  /FIXED
p    9    19   : N  /FIXED
q   12    21   : N  /FIXED_NI
