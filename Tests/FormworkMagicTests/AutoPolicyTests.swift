import FormworkMagic
import Testing
